package demo

import (
	"context"
	"fmt"
	"strings"

	"polaris/models"
	"polaris/ops"
)

// Furnish adds to the published brain what some days of use leave: golden
// questions, questions that its colleague's agent asked, two documents in the
// draft, one of them held, and changes that the agent proposed, which wait for
// somebody else. Nothing of it is backdated.
func Furnish(ctx context.Context, d *ops.Desk, call ops.Call) error {
	agent, signOut, err := agentOf(ctx, d, call)
	if err != nil {
		return err
	}
	unanswered, err := asked(ctx, d, agent)
	if err != nil {
		return err
	}
	for _, doc := range []Document{Incidents(), Planted()} {
		if err := imports(ctx, d, call, doc); err != nil {
			return err
		}
	}
	q := Examples()
	for _, g := range append(q.Answerable[:6], Question{Text: q.Unanswerable[0], Keys: []string{"INC 1.2(b)"}}) {
		if _, err := ops.Do(ctx, d, call, ops.SaveGolden, ops.SaveGoldenIn{Question: g.Text, TopicIDs: g.Topics, Expects: g.Keys}); err != nil {
			return fmt.Errorf("golden question %q: %w", g.Text, err)
		}
	}
	if err := propose(ctx, d, agent, unanswered); err != nil {
		return err
	}
	return signOut()
}

// agentOf makes the colleague, and returns the call of a program that acts for
// them, and what ends its sign-in. It calls over REST, so what it changes waits.
func agentOf(ctx context.Context, d *ops.Desk, call ops.Call) (agent ops.Call, signOut func() error, err error) {
	roles := []models.Role{models.RoleCurator}
	u, err := ops.Do(ctx, d, call, ops.CreateUser, ops.CreateUserIn{Email: Colleague, Name: "Cole Colleague", Roles: roles})
	if err != nil {
		return agent, nil, err
	}
	person := ops.Call{By: models.Principal{Kind: models.KindPerson, Person: u.PersonID, Actor: u.Email, Brain: call.Brain, Roles: roles, Authenticated: true}, Brain: call.Brain, Via: ops.Web}
	tokens, err := ops.Do(ctx, d, person, ops.CreateTokens, ops.CreateTokensIn{Scopes: []models.Scope{models.ScopeAdvisorRead, models.ScopeInvoke, models.ScopeWrite}})
	if err != nil {
		return agent, nil, err
	}
	by, err := d.TokenPrincipal(ctx, tokens.AccessToken)
	return ops.Call{By: by, Brain: call.Brain, Via: ops.REST}, func() error {
		_, err := ops.Do(ctx, d, person, ops.RevokeTokens, ops.RevokeTokensIn{RefreshToken: tokens.RefreshToken})
		return err
	}, err
}

// asked puts the examples to the published version, and returns the id of the
// first answer that is none.
func asked(ctx context.Context, d *ops.Desk, agent ops.Call) (unanswered string, err error) {
	q := Examples()
	for _, a := range q.Answerable[:6] {
		if _, err := ops.Do(ctx, d, agent, ops.Answer, ops.AskIn{Query: a.Text, TopicIDs: a.Topics}); err != nil {
			return "", err
		}
	}
	env, err := ops.Do(ctx, d, agent, ops.Answer, ops.AskIn{Query: q.Unanswerable[0]})
	if err != nil {
		return "", err
	}
	return env.AnswerID, nil
}

// propose puts four changes into the queue: a card, a golden question, another
// revision of a document, and a publish.
func propose(ctx context.Context, d *ops.Desk, agent ops.Call, unanswered string) error {
	because := func(why string, evidence ...string) ops.Call {
		c := agent
		c.Rationale, c.Evidence = why, evidence
		return c
	}
	_, err := ops.Do(ctx, d, because("The gift table has a column for each giver, and a question has to find the right one.", "EXP § Accepting gifts and hospitality"),
		ops.SaveGolden, ops.SaveGoldenIn{Question: "May I keep a gift worth $50 from a broker?", TopicIDs: []string{"expenses-and-gifts"}, Expects: []string{"EXP § Accepting gifts and hospitality"}})
	if err := waits(err); err != nil {
		return err
	}
	fees := Documents()[3]
	text := strings.NewReplacer("the lower of $35 and 4 percent", "the lower of $32 and 4 percent", "must not exceed $175 on one loan", "must not exceed $160 on one loan").Replace(string(fees.Data))
	_, err = ops.Do(ctx, d, because("The board lowered the late payment fee and its cap on Monday. A reduction takes effect at once.", "FEES § Changes to this schedule ¶1"),
		ops.ImportSource, ops.ImportSourceIn{Name: fees.Name, Title: fees.Title, Code: fees.Code, Data: []byte(text)})
	if err := waits(err); err != nil {
		return err
	}
	_, err = ops.Do(ctx, d, because("Somebody asked how soon a lost laptop has to be reported, and nothing answered. The policy is in the draft; this card leads to it.", unanswered, "INC 1.2(b)"),
		ops.SaveCard, ops.SaveCardIn{ID: "when-something-goes-wrong", Label: "When something goes wrong", Covers: "A laptop or telephone was lost or stolen, data went to the wrong person, a password was given away, somebody saw something wrong: whom to tell, how, and how soon", Anchors: []string{"INC 1.2(a)", "INC 1.2(b)", "REC 3.3(a)", "SPK 1.2(a)"}})
	if err := waits(err); err != nil {
		return err
	}
	_, err = ops.Do(ctx, d, because("Adds the policy on security incidents, so that the question about a lost laptop is answered.", unanswered),
		ops.PublishVersion, ops.PublishIn{Notes: "Security incidents"})
	return waits(err)
}

// waits turns that a change is in the queue into success, and that it is not
// into a failure.
func waits(err error) error {
	if _, ok := ops.AsWaiting(err); ok {
		return nil
	}
	if err == nil {
		return fmt.Errorf("a change that was to wait was made")
	}
	return fmt.Errorf("proposing: %w", err)
}

// imports reads a document into the draft.
func imports(ctx context.Context, d *ops.Desk, call ops.Call, doc Document) error {
	if _, err := ops.Do(ctx, d, call, ops.ImportSource, ops.ImportSourceIn{Name: doc.Name, Title: doc.Title, Code: doc.Code, Data: doc.Data}); err != nil {
		return fmt.Errorf("%s: %w", doc.Name, err)
	}
	return nil
}

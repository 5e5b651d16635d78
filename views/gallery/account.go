package gallery

import (
	"polaris/views/account"
	"polaris/views/form"
	"polaris/views/keys"
	"polaris/views/layout"
	"polaris/views/problem"
)

func accountPages(f layout.Frame) []Page {
	typed := form.Entry{Value: "ada@calliope.example"}
	return []Page{
		{"setup", account.SetupPage(f, account.Setup{MinPassword: "12"})},
		{"setup-wrong", account.SetupPage(f, account.Setup{
			MinPassword: "12", Token: form.Entry{Value: "7f3a", Problem: "This is not the token that the server printed."},
			Name: form.Entry{Value: "Ada"}, Email: typed, Again: form.Entry{Problem: "The two passwords differ."},
		})},
		{"sign-in", account.SignInPage(f, account.SignIn{Next: base + "/answers"})},
		{"sign-in-wrong", account.SignInPage(f, account.SignIn{Email: typed, Problem: "E-mail address or password is wrong. After five attempts you have to wait a minute."})},
		{"signed-out", account.SignInPage(f, account.SignIn{SignedOut: true})},
		{"link", account.LinkPage(f, account.Link{Email: "reader@calliope.example", Token: "k7Qd", MinPassword: "12"})},
		{"link-wrong", account.LinkPage(f, account.Link{
			Email: "reader@calliope.example", Token: "k7Qd", MinPassword: "12",
			Password: form.Entry{Problem: "The password needs at least 12 characters."}, Problem: "Nothing was saved.",
		})},
	}
}

func keyRows() []keys.Row {
	return []keys.Row{
		{
			ID: "k7Qd2mXw91aB", Label: "Letters agent", Prefix: "sk-polaris-k7Qd2mXw91aB_", Scopes: []string{"advisor:read"}, Owner: "curator@calliope.example",
			Created: ago(6 * day), Expires: ago(-84 * day), LastUsed: ago(4 * 60e9), State: "active",
		},
		{
			ID: "9fQaZt7mp0Lw", Label: "Nightly import", Prefix: "sk-polaris-9fQaZt7mp0Lw_", Scopes: []string{"advisor:read", "mcp:invoke", "mcp:write"}, Owner: "approver@calliope.example",
			Created: ago(20 * day), Expires: ago(-9 * day), LastUsed: layout.When{Text: "never"}, State: "active", OldUntil: ago(-20 * 3600e9),
		},
		{
			ID: "Zt7mp0Lw9fQa", Label: "Call centre pilot", Prefix: "sk-polaris-Zt7mp0Lw9fQa_", Scopes: []string{"advisor:read"}, Owner: "curator@calliope.example",
			Created: ago(120 * day), Expires: ago(30 * day), LastUsed: ago(33 * day), State: "expired",
		},
		{
			ID: "p0Lw9fQaZt7m", Label: "Ada’s laptop", Prefix: "sk-polaris-p0Lw9fQaZt7m_", Scopes: []string{"advisor:read", "research:run"}, Owner: "curator@calliope.example",
			Created: ago(80 * day), Expires: layout.When{Text: "never"}, LastUsed: ago(12 * day), State: "revoked", Ended: "by curator@calliope.example: laptop replaced",
		},
	}
}

func keyPages(f func(string) layout.Frame) []Page {
	const endpoint = "https://polaris.calliope.example/v1/mcp"
	fresh := keys.New{
		Scopes:  keys.ScopeChoices([]string{"advisor:read", "research:run", "mcp:invoke", "mcp:write"}, []string{"advisor:read"}),
		Expires: keys.LifetimeChoices("", []int{30, 90, 180, 366}, false, "90"),
	}
	wrong := fresh
	wrong.Label = form.Entry{Value: "Letters agent", Problem: "An active key has this label. Choose another, so that the two can be told apart."}
	wrong.ScopesProblem, wrong.ExpiresProblem = "Choose at least one scope.", "Choose one of these lifetimes."
	wrong.Problem = "No key was created."
	detail := keys.Detail{
		Key: keyRows()[0], Actor: "night shift", CreatedBy: "by curator@calliope.example at a page", RateText: "600 requests in 60 s", Rev: "3", Rotated: ago(2 * day), RotatedBy: "curator@calliope.example",
		Label: form.Entry{Value: "Letters agent"}, Scopes: keys.ScopeChoices([]string{"advisor:read", "mcp:invoke"}, []string{"advisor:read", "mcp:invoke"}),
		Expires: keys.LifetimeChoices("as it is (22 Feb 2027)", []int{30, 90, 180, 366}, true, ""), Rate: form.Entry{Value: "600/60s"},
		Owners: []form.Choice{{Value: "approver@calliope.example", Label: "approver@calliope.example"}},
	}
	mistaken := detail
	mistaken.Label.Problem, mistaken.Rate.Problem, mistaken.ScopesProblem, mistaken.ExpiresProblem = "Name the key.", "A rate is requests/window, such as 600/60s.", "A key keeps at least one scope.", "A secret lives 366 days at most."
	mistaken.Problem, mistaken.OwnerProblem = "Nothing was changed.", "No active member of this brain has that e-mail address."
	suspended := detail
	suspended.Key = keyRows()[1]
	suspended.Key.State = "suspended"
	flash := f(keys.Path)
	flash.Flash = layout.Flash{Kind: layout.Good, Text: "The key “Ada’s laptop” is revoked. What holds it is refused from now on."}
	return []Page{
		{"keys", keys.IndexPage(flash, keys.Index{Keys: keyRows(), MayCreate: true, Endpoint: endpoint})},
		{"keys-reader", keys.IndexPage(f(keys.Path), keys.Index{Keys: keyRows()[:1], Endpoint: endpoint})},
		{"keys-empty", keys.IndexPage(bare(f(keys.Path)), keys.Index{MayCreate: true, Endpoint: endpoint})},
		{"keys-new", keys.NewPage(f(keys.NewPath), fresh)},
		{"keys-new-wrong", keys.NewPage(f(keys.NewPath), wrong)},
		{"keys-created", keys.CreatedPage(f(keys.Path), keys.Created{
			Label: "Letters agent", Key: "sk-polaris-k7Qd2mXw91aB_0123456789abcdefghijklmnopqrstuv1BcD2e",
			Endpoint: endpoint, OpenAI: "https://polaris.calliope.example/v1", Expires: "on 28 February 2027", Scopes: []string{"advisor:read"},
		})},
		{"keys-rotated", keys.CreatedPage(f(keys.Path), keys.Created{
			Label: "Nightly import", Key: "sk-polaris-9fQaZt7mp0Lw_0123456789abcdefghijklmnopqrstuv1BcD2e",
			Endpoint: endpoint, OpenAI: "https://polaris.calliope.example/v1", Expires: "never", Scopes: []string{"mcp:invoke"}, Old: "holds on until 1 December 2026, 16:02 UTC",
		})},
		{"key", keys.KeyPage(f(keys.KeyPath("k7Qd2mXw91aB")), detail)},
		{"key-wrong", keys.KeyPage(f(keys.KeyPath("k7Qd2mXw91aB")), mistaken)},
		{"key-suspended", keys.KeyPage(f(keys.KeyPath("9fQaZt7mp0Lw")), suspended)},
		{"key-expired", keys.KeyPage(f(keys.KeyPath("Zt7mp0Lw9fQa")), keys.Detail{Key: keyRows()[2], CreatedBy: "by curator@calliope.example at a page", RateText: "the server's"})},
		{"key-revoked", keys.KeyPage(f(keys.KeyPath("p0Lw9fQaZt7m")), keys.Detail{Key: keyRows()[3], CreatedBy: "by curator@calliope.example at the terminal", RateText: "the server's"})},
		{"keys-rotate", keys.RotationPage(f(keys.Path), keys.Rotation{Key: keyRows()[0], Overlap: keys.OverlapChoices("86400"), Expires: fresh.Expires})},
		{"keys-rotate-wrong", keys.RotationPage(f(keys.Path), keys.Rotation{
			Key: keyRows()[1], Overlap: keys.OverlapChoices("0"), Expires: fresh.Expires, OverlapProblem: "The old secret holds on for at most 7 days; 0 ends it at once.", ExpiresProblem: "Choose one of these.", Problem: "Nothing was changed.",
		})},
		{"keys-revoke", keys.RevocationPage(f(keys.Path), keys.Revocation{Key: keyRows()[0]})},
		{"keys-revoke-wrong", keys.RevocationPage(f(keys.Path), keys.Revocation{
			Key: keyRows()[0], Reason: form.Entry{Value: "x", Problem: "A reason has at most 200 characters."}, Problem: "The key is still active.",
		})},
	}
}

func problemPages(f func(string) layout.Frame, assets layout.Assets) []Page {
	missing := problem.Problem{
		Status: "404", Title: "There is nothing here", Text: "The page does not exist, or it is not yours to see.",
		Do: []layout.Link{{Text: "Home", URL: base}, {Text: "Ask a question", URL: base + "/ask"}}, RequestID: "r_8hK2",
	}
	inside := missing
	inside.SignedIn = true
	return []Page{
		{"problem", problem.ProblemPage(layout.Frame{Assets: assets}, missing)},
		{"problem-inside", problem.ProblemPage(f("/gone"), inside)},
	}
}

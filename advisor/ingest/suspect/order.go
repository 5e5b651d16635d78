package suspect

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// A wording is how orders to a model are worded. It is only looked for where
// one of some words stands, since looking for those costs less.
type wording struct {
	needs   []string // one of them
	also    []string // and one of these, where it has any
	pattern *regexp.Regexp
}

const (
	earlier = `(?:all |any |every |the |your |of |these |those |my |its |previous(?:ly)? |prior |above |earlier |preceding |foregoing |existing |original |initial |former |given |other |safety |system ){1,6}`
	orders  = `(?:instructions?|prompts?|rules|directions|directives|guidelines|commands|messages?|constraints|programming|training|guardrails)`
	machine = `(?:ais?|llms?|a\.i\.|(?:ai |large )?language models?|ai (?:assistants?|models?|agents?|systems?)|chat ?bots?|chatgpt|gpt-?\d?|claude|gemini|copilot|the assistant|assistants?)`
)

// wordings are how orders to a model are worded. Each must be something that
// a handbook, a law or a report does not say.
var wordings = []wording{
	{[]string{"ignor", "disregard", "forget", "overrid", "override", "bypass", "follow", "skip"}, []string{"instruction", "prompt", "rules", "direct", "guideline", "command", "message", "constraint", "programming", "training", "guardrail"}, regexp.MustCompile(`\b(?:ignor(?:e|ing)|disregard|forget|override|bypass|do not follow|stop following|skip) ` + earlier + orders + `\b`)},
	{[]string{"ignore", "disregard", "forget"}, []string{"above", "before", "previous", "earlier", "know", "told", "prior"}, regexp.MustCompile(`\b(?:ignore|disregard|forget) (?:everything|anything|all|what) (?:(?:that )?(?:was|you were|you have been|is|has been) )?(?:said |told |written |stated |learned )?(?:above|before|previous(?:ly)?|earlier|you know|you were told|prior)`)},
	{[]string{"ignore the", "disregard the"}, nil, regexp.MustCompile(`\b(?:ignore|disregard) the (?:above|foregoing|preceding|other) (?:and|text and|documents? and|context and|sources? and) (?:\w+ )?(?:say|answer|respond|reply|output|write|tell|print|instead)`)},
	{[]string{"you are"}, nil, regexp.MustCompile(`\byou are (?:now|no longer|from now on) (?:a |an |in |the |bound |my |restricted |dan\b)`)},
	{[]string{"you are"}, nil, regexp.MustCompile(`\byou are (?:chatgpt|claude|gemini|an? (?:unrestricted|uncensored|evil|helpful) (?:ai|assistant|model|bot)|an ai\b|a large language model)`)},
	{[]string{"prompt", "system message", "system instruction", "hidden instruction", "initial instruction", "instructions verbatim"}, []string{"reveal", "print", "show", "repeat", "output", "leak", "disclos", "reproduc", "display", "give me", "tell me", "return", "dump", "recite"}, regexp.MustCompile(`\b(?:reveal|print|show|repeat|output|leak|disclose|reproduce|display|give me|tell me|return|dump|recite) (?:me |us )?(?:all |verbatim |back )?(?:of )?(?:your|the) (?:full |entire |complete |exact |hidden |secret |original |initial |internal )*(?:system (?:prompt|message|instructions?)|hidden (?:prompt|instructions?)|initial (?:prompt|instructions?)|instructions verbatim|prompt)\b`)},
	{[]string{" user"}, []string{"tell", "reveal", "mention", "inform", "disclos", "show", "alert", "notify"}, regexp.MustCompile(`\b(?:do not|don't|never|without|must not) (?:tell|telling|reveal|revealing|mention|mentioning|inform|informing|disclose|disclosing|show|alert|alerting|notify|notifying)(?: \w+){0,5}? (?:the |this )?(?:end )?users?\b[^.]{0,60}\b(?:instruction|prompt|message|text|note|this)\b`)},
	{[]string{"the user"}, []string{"tell", "reveal", "mention", "inform", "alert"}, regexp.MustCompile(`\b(?:do not|don't|never) (?:tell|reveal to|mention (?:this|it) to|inform|alert) the user\b`)},
	{[]string{" ai ", " ai:", " ai,", " ai!", " ais", ":ai", "llm", "language model", "a.i.", "chatbot", "chat bot", "gpt", "claude", "gemini", "copilot", "assistant"}, []string{"attention", "note", "notice", "message", "memo", "instruction", "important", "dear", "hey", "hello", "warning"}, regexp.MustCompile(`\b(?:attention|note|notice|message|memo|instructions?|important|dear|hey|hello|warning)[ ,:]*(?:to |for )?(?:all |any |the |every )?` + machine + `(?: (?:reading|processing|summari[sz]ing|answering|parsing|using|that)|[:,!])`)},
	{[]string{"if you"}, []string{" ai", "ais", "llm", "language model", "a.i.", "chatbot", "chat bot", "gpt", "claude", "gemini", "copilot", "assistant"}, regexp.MustCompile(`\bif you(?: are|'re) (?:an? |the )?(?:automated |artificial )?` + machine + `\b`)},
	{[]string{" this"}, []string{" ai", "ais", "llm", "language model", "a.i.", "chatbot", "chat bot", "gpt", "claude", "gemini", "copilot", "assistant"}, regexp.MustCompile(`\b` + machine + ` (?:reading|processing|summari[sz]ing|parsing|ingesting|that reads?|who reads?) this\b`)},
	{[]string{"as a", "being a"}, []string{" ai", "ais", "llm", "language model", "a.i.", "chatbot", "chat bot", "gpt", "claude", "gemini", "copilot", "assistant"}, regexp.MustCompile(`\b(?:as|being) an? (?:ai|llm|(?:ai |large )?language model)(?: assistant| model)?,? (?:you|your)\b`)},
	{[]string{"from now on"}, nil, regexp.MustCompile(`\bfrom now on,? (?:you |respond|answer|always|reply|act|ignore|only (?:answer|reply|respond))`)},
	{[]string{"instruction", "prompt", "directive", "task"}, []string{"for you", "for the", "from "}, regexp.MustCompile(`\b(?:new|updated|revised|real|actual|hidden|secret|additional) (?:system )?(?:instructions?|prompt|directive|task) (?:for (?:you|the (?:assistant|model|ai))|from (?:the )?(?:system|developers?|openai|anthropic|administrator))`)},
	{[]string{"instruction", "prompt", "directive"}, []string{"new ", "updated", "override"}, regexp.MustCompile(`\b(?:new|updated|override) (?:system )?(?:instructions?|prompt|directives?) ?:`)},
	{[]string{"your new", "your real", "your true", "your actual", "your only"}, nil, regexp.MustCompile(`\byour (?:new|real|true|actual|only) (?:task|instructions?|goal|purpose|role|job|objective) (?:is|are|from)\b`)},
	{[]string{"pretend", "act as", "roleplay"}, nil, regexp.MustCompile(`\b(?:pretend (?:that )?(?:you are|to be|you have no)|act as (?:if you (?:are|were|have no)|though you|an? unrestricted|dan\b|root\b)|roleplay as)`)},
	{[]string{" mode", "jailbr", "anything now"}, nil, regexp.MustCompile(`\b(?:developer mode|dan mode|god mode|jailbreak(?:ed)?|do anything now)\b[^.]{0,40}\b(?:enabled|activated|on|mode|you|engaged)\b`)},
	{[]string{"<|", "inst]", "sys>", "<system", "</system", "assistant", "_call"}, nil, regexp.MustCompile(`<\|(?:im_start|im_end|system|user|assistant|endoftext|begin_of_text|start_header_id|eot_id)\|>|\[/?inst\]|<</?sys>>|</?(?:system|assistant|tool_call|function_call)(?:[ _-](?:prompt|message|instructions?))?>`)},
	{[]string{"system", "assistant", "developer"}, []string{": you", ":you", ": ignore", ": from", ": the", ": new", ": always", ": never", ": override"}, regexp.MustCompile(`(?:^|[.!?>*#"|:;,(-] ?)(?:system|assistant|developer)(?: (?:prompt|message|note|override|instruction))? ?: ?(?:you (?:are|must|should|will)|ignore|from now|the (?:user|following|previous)|new |always |never |override)`)},
	{[]string{"##"}, nil, regexp.MustCompile(`#{2,} ?(?:system|instruction|new instructions?|assistant|prompt)s? ?(?::|#|$)`)},
	{[]string{"system prompt", "prompt", "admin", "hidden", "secret", "system"}, []string{"begin", "start", "end "}, regexp.MustCompile(`\b(?:begin|start|end) (?:of )?(?:the )?(?:system|hidden|admin|secret) (?:prompt|instructions?|message|override)`)},
	{[]string{"tool", "function", "plugin"}, nil, regexp.MustCompile("\\b(?:call|invoke|use|run|execute|trigger) (?:the |your |a )?(?:[\"'`][a-z_.]{2,40}[\"'`]|[a-z]+(?:_[a-z]+)+) (?:tool|function|plugin)\\b")},
	{[]string{" tool", " plugin"}, nil, regexp.MustCompile(`\b(?:call|invoke) (?:the |your |a )?\w+ (?:tool|plugin) (?:with|to|and|on|for)\b`)},
	{[]string{"conversation", "chat history", "context", "user", "api key", "credential", "password", "secret", "system prompt"}, []string{" send", "send ", "post", "upload", "forward", "exfiltrat", "transmit", "leak", "append", "embed", "encode"}, regexp.MustCompile(`\b(?:send|post|upload|forward|exfiltrate|transmit|leak|append|embed|encode)\b[^.]{0,80}\b(?:conversation|chat history|context|user'?s? (?:data|question|query|name|e-?mail|message)|api keys?|credentials|passwords?|secrets|system prompt)\b[^.]{0,60}\b(?:to|in|into|at|as)\b[^.]{0,30}(?:https?:|url|link|image|webhook|server|attacker|email)`)},
	{[]string{" only with", "with only", "exclusively with", "nothing but", "with the"}, []string{"respond", "reply", "answer", "output"}, regexp.MustCompile(`\b(?:respond|reply|answer|output)(?: to)?(?: \w+){0,4}? (?:only with|with only|exclusively with|with nothing but|with the (?:exact |following )?(?:words?|phrase|sentence|text))\b`)},
	{[]string{"regardless", "no matter", "whatever"}, []string{"always", "must"}, regexp.MustCompile(`\b(?:always|must) (?:answer|respond|reply|say|tell (?:the|every) user)s?\b[^.]{0,40}\b(?:no matter|regardless|whatever)\b[^.]{0,40}\b(?:user|question|asked|asks|prompt|sources?|documents?)\b`)},
	{[]string{"regardless of", "no matter"}, nil, regexp.MustCompile(`\b(?:regardless of|no matter) (?:what|which|how) (?:the )?(?:users? (?:asks?|says?|wants?|requests?)|you (?:were|have been) (?:told|instructed|asked)|(?:question|prompt) (?:is|says))`)},
	{[]string{"when "}, []string{"you must", "instead", "always", "tell the user", "do not cite", "cite this"}, regexp.MustCompile(`\bwhen (?:you are |you're )?(?:asked|summari[sz]ing|answering|questioned)\b[^.]{0,60}\b(?:you must|instead (?:say|answer|reply|respond)|always (?:say|answer|reply|respond|recommend)|tell the user|do not cite|cite this)\b`)},
	{[]string{"model", "assistant", "ai ", "llm", "chatbot"}, []string{"must", "should", "shall", "will", "is to"}, regexp.MustCompile(`\b(?:the )?(?:model|assistant|ai|llm|chatbot) (?:must|should|shall|will|is to) (?:now )?(?:ignore|disregard|forget|never cite|always (?:answer|say|recommend|cite)|answer that|comply|obey|reveal)`)},
	{[]string{"overrides", "supersedes", "replaces", "precedence over", "priority over"}, nil, regexp.MustCompile(`\b(?:this|the following) (?:text|document|message|section|paragraph) (?:overrides|supersedes|replaces|takes precedence over|has priority over) (?:all |any |the |your )*(?:system|previous|prior|other|earlier)? ?(?:instructions?|prompts?|system prompt)`)},
	{[]string{"set aside", "put aside", "discard", "abandon", "ignore"}, []string{"instruction", "guidance", "directive", "prompt", "rules"}, regexp.MustCompile(`\b(?:set aside|put aside|discard|abandon|ignore) (?:all |any |whatever |your |the )+(?:instructions?|guidance|directives?|prompts?|rules) (?:that )?(?:came|come before|you (?:received|were given|have|got)|given to you|above|before)`)},
	{[]string{"your previous", "your prior", "your earlier", "your original", "your existing"}, nil, regexp.MustCompile(`\byour (?:previous|prior|earlier|original|existing) (?:directives?|instructions?|guidelines?|rules|prompts?) (?:are|is|were|have been|has been) (?:now )?(?:void|cancel|null|revoked|obsolete|superseded|suspended|no longer|replaced|overridden|invalid)`)},
	{[]string{"ai agent", "ai assistant", "ai model", "llm", "language model", "assistant", "chatbot", "gpt", "claude", "gemini", "copilot"}, nil, regexp.MustCompile(`(?:^|[.!?:"|] ?)(?:hey |dear |hello )?(?:ai agents?|ai assistants?|ai models?|llms?|language models?|assistants?|chatbots?|gpt|chatgpt|claude|gemini|copilot) ?[:,] ?(?:when|if|please|do not|don't|you|always|never|ignore|output|say|tell|e-?mail|must|the following|this|stop|print|reply|respond|answer|cite|recommend)\b`)},
	{[]string{"assistant", "chatbot", "language model", "agent", "ai "}, []string{"as the", "as an", "as a "}, regexp.MustCompile(`\bas (?:the|an?) (?:ai |helpful )?(?:assistant|chatbot|language model|ai|ai model|ai agent) (?:answering|reading|processing|responding|summari[sz]ing)\b`)},
	{[]string{"system override", "system prompt", "system message", "system instruction"}, nil, regexp.MustCompile(`\bsystem (?:override|prompt|message|instructions?) ?[:\]]|\bsystem override\b`)},
	{[]string{"hey gpt", "hey chatgpt", "hey claude", "hey gemini", "hey copilot", "hey ai", "hey, ai", "hey assistant"}, nil, regexp.MustCompile(`\bhey,? (?:gpt|chatgpt|claude|gemini|copilot|ai|assistant)\b`)},
	{[]string{"you must now", "you will now", "you shall now"}, nil, regexp.MustCompile(`\byou (?:must|will|shall) now (?:behave|act|respond|answer|obey|serve|pretend|speak|adopt|ignore)`)},
	{[]string{"{{", "{%", "[system", "[[", "<!--"}, []string{"system", "assistant"}, regexp.MustCompile(`\{\{[#/~^]? ?(?:system|assistant)\b|\[\[? ?(?:system|assistant)(?: (?:prompt|message|note|override))? ?\]`)},
	{[]string{"message from", "note from", "instructions from", "order from"}, nil, regexp.MustCompile(`\b(?:message|note|instructions?|order) from (?:your|the) (?:developers?|creators?|makers?|operators?|openai|anthropic|system administrators?)\b[^.]{0,60}(?:you|restriction|ignore|instruct|drop|rule|:)`)},
	{[]string{"your system prompt", "your prompt", "your instructions"}, nil, regexp.MustCompile(`\b(?:translate|summari[sz]e|encode|paraphrase|describe|share|explain|copy|state|write out) (?:your|all your) (?:full |entire |own )?(?:system prompt|prompt|instructions)\b`)},
	{[]string{"ai ", "llm", "language model", "chatbot", "ai assistant"}, []string{"if ", "when ", "should ", "whenever "}, regexp.MustCompile(`\b(?:if|when|whenever|should) (?:an? |the |any )?(?:ai|llm|(?:ai |large )?language model|chatbot|ai assistant|ai agent|ai model) (?:is |are |were |happens to )?(?:reads?|reading|process(?:es|ing)?|summari[sz](?:es?|ing)|pars(?:es?|ing)|ingests?|ingesting|answers?|answering) (?:this|these|the (?:text|page|document))`)},
	{[]string{"citation check", "safety filter", "content filter", "safety check", "content polic", "safety polic"}, nil, regexp.MustCompile(`\b(?:disable|turn off|skip|bypass|switch off|ignore) (?:all |any |the |your )*(?:citation|safety|content) (?:checks?|filters?|polic(?:y|ies))`)},
	{[]string{"ignorier", "vergiss"}, nil, regexp.MustCompile(`ignorier(?:e|en sie)(?: \pL+){0,3} (?:anweisungen|instruktionen|befehle|vorgaben)|vergiss (?:alle |alles )(?:\pL+ ){0,2}(?:anweisungen|vorher)`)},
	{[]string{"ignore"}, nil, regexp.MustCompile(`ignore[zr]? (?:toutes )?(?:les |vos |tes )(?:instructions|consignes|directives) (?:pr[ée]c[ée]dentes|ci-dessus|ant[ée]rieures)`)},
	{[]string{"instrucc", "indicacion", "órdenes"}, nil, regexp.MustCompile(`(?:ignor[ae]|olvid[ae]|omit[ae])r? (?:todas )?(?:las |tus |sus )?(?:instrucciones|indicaciones|órdenes) (?:anteriores|previas|de arriba)`)},
	{[]string{"istruzion", "indicazion", "instruç", "instructies", "aanwijzing"}, nil, regexp.MustCompile(`ignor[aei]\S* (?:tutte )?(?:le )?(?:istruzioni|indicazioni) (?:precedenti|sopra)|ignor[ea] (?:todas )?(?:as )?instruções (?:anteriores|acima)|negeer (?:alle )?(?:vorige|eerdere|bovenstaande) (?:instructies|aanwijzingen)`)},
	{[]string{"инструкц", "указани"}, nil, regexp.MustCompile(`(?:игнорируй|забудь|не обращай внимания на)(?:те)? (?:все )?(?:предыдущие|прежние|вышеуказанные) (?:инструкции|указания)`)},
	{[]string{"略", "视", "忘", "視", "무시", "تجاهل"}, nil, regexp.MustCompile(`(?:忽略|无视|忘记|無視|忽視)[^。\n]{0,12}(?:指令|指示|说明|提示词|規則|规则)|(?:以前|上記|これまで|前)の(?:すべての)?(?:指示|命令)[^。\n]{0,6}無視|(?:이전|위의?) (?:모든 )?지시(?:사항)?[을를]? (?:모두 )?무시|تجاهل (?:جميع |كل )?(?:ال)?تعليمات`)},
}

// Order returns the part of s that is worded as an order to a language model.
func Order(s string) (string, bool) {
	for _, form := range spellings(s) {
		for i := range wordings {
			if at := wordings[i].in(form); at >= 0 {
				return around(form, at), true
			}
		}
	}
	return "", false
}

// How far before and after one of its words a wording may reach, in bytes.
const (
	before = 100
	after  = 240
)

// in returns where a text has the wording, or -1. It looks around the words that
// the wording needs, and nowhere else.
func (w *wording) in(s string) int {
	for _, word := range w.needs {
		for from := 0; ; {
			k := strings.Index(s[from:], word)
			if k < 0 {
				break
			}
			from += k + len(word)
			lo, hi := max(0, from-len(word)-before), min(len(s), from+after)
			part := s[lo:hi]
			if len(w.also) > 0 && !slices.ContainsFunc(w.also, func(a string) bool { return strings.Contains(part, a) }) {
				continue
			}
			if m := w.pattern.FindStringIndex(part); m != nil {
				return lo + m[0]
			}
		}
	}
	return -1
}

// spellings returns s as it sounds: in small letters, without what hides words,
// and once more with letters that stand apart drawn together.
func spellings(s string) []string {
	var b strings.Builder
	if !ascii(s) {
		s = norm.NFKC.String(s)
	}
	space, single, runs := false, 0, 0
	word := 0
	end := func() {
		if word == 1 {
			if single++; single >= 5 {
				runs++
			}
		} else if word > 1 {
			single = 0
		}
		word = 0
	}
	for _, r := range s {
		switch {
		case r >= 0xE0020 && r <= 0xE007E:
			r -= 0xE0000 // a text in tags
		case unseen(r), r == 0xAD, r == '*', r == '~', r >= 0x202A && r <= 0x202E, r >= 0x2066 && r <= 0x2069, r >= 0xFE00 && r <= 0xFE0F:
			continue
		}
		if unicode.IsSpace(r) || r == '_' && (space || b.Len() == 0) {
			if !space {
				end()
			}
			space = true
			continue
		}
		if space && b.Len() > 0 {
			b.WriteByte(' ')
		}
		space = false
		word++
		b.WriteRune(plain(unicode.ToLower(r)))
	}
	end()
	out := []string{strings.ReplaceAll(b.String(), "_ ", " ")}
	if runs > 0 {
		out = append(out, drawn(out[0]))
	}
	if latin := lookalikes.Replace(out[0]); latin != out[0] {
		out = append(out, latin)
	}
	return out
}

// lookalikes are letters of other scripts that stand in for Latin ones, and
// digits that do.
var lookalikes = strings.NewReplacer("а", "a", "е", "e", "о", "o", "р", "p", "с", "c", "х", "x", "у", "y", "і", "i", "ѕ", "s", "ј", "j", "ԁ", "d", "ο", "o", "α", "a", "ν", "v", "ι", "i",
	"0", "o", "1", "i", "3", "e", "4", "a", "5", "s", "7", "t", "@", "a", "$", "s")

func ascii(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}

// drawn draws letters together that stand apart: "i g n o r e  a l l". Where the
// words began is lost, so the patterns' commonest words are set apart again.
func drawn(s string) string {
	var b strings.Builder
	words := strings.Split(s, " ")
	for i, w := range words {
		if i > 0 && (len([]rune(w)) > 1 || len([]rune(words[i-1])) > 1) {
			b.WriteByte(' ')
		}
		b.WriteString(w)
	}
	out := b.String()
	for _, w := range []string{"ignore", "disregard", "forget", "all", "previous", "prior", "above", "the", "your", "instructions", "prompt", "reveal", "system"} {
		out = strings.ReplaceAll(out, w, " "+w+" ")
	}
	return strings.Join(strings.Fields(out), " ")
}

// plain writes letters of other scripts that look like Latin ones as those,
// where they stand in for them.
func plain(r rune) rune {
	switch r {
	case '’', '‘', 'ʼ':
		return '\''
	case 'ı':
		return 'i'
	}
	return r
}

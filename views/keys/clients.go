package keys

import "encoding/json"

// A client is one ready-made configuration.
type client struct {
	ID, Name, About, Text string
}

// clients returns the configurations that a fresh key comes with.
func (c Created) clients() []client {
	return []client{
		{"for-claude", "Claude Code", "Run this once in a terminal.", c.claude()},
		{"for-json", "Cursor, VS Code and others", "Add this to the client's file of MCP servers.", c.servers()},
		{"for-curl", "curl", "Ask a first question, to see that the key works.", c.curl()},
	}
}

func (c Created) claude() string {
	return "claude mcp add --transport http polaris " + c.Endpoint + " \\\n  --header \"Authorization: Bearer " + c.Key + "\""
}

func (c Created) curl() string {
	return "curl " + c.Endpoint + " \\\n" +
		"  -H \"Authorization: Bearer " + c.Key + "\" \\\n" +
		"  -H \"Content-Type: application/json\" \\\n" +
		`  -d '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"answer","arguments":{"query":"What do you know?"}}}'`
}

// servers returns the file that most clients read.
func (c Created) servers() string {
	type server struct {
		Type    string            `json:"type"`
		URL     string            `json:"url"`
		Headers map[string]string `json:"headers"`
	}
	b, err := json.MarshalIndent(map[string]map[string]server{"mcpServers": {"polaris": {
		Type: "http", URL: c.Endpoint, Headers: map[string]string{"Authorization": "Bearer " + c.Key},
	}}}, "", "  ")
	if err != nil {
		panic("keys: " + err.Error()) // strings always marshal
	}
	return string(b)
}

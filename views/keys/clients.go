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
		{"for-bridge", "Clients that take no header", "A bridge on the client's own machine. Add this to its file of MCP servers; bb must be installed there.", c.bridge()},
		{"for-openai", "OpenAI libraries", "Any client of chat completions, with these two settings and nothing else changed.", c.openai()},
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

func (c Created) openai() string {
	return "OPENAI_BASE_URL=" + c.OpenAI + "\nOPENAI_API_KEY=" + c.Key
}

// servers returns the file that most clients read.
func (c Created) servers() string {
	type server struct {
		Type    string            `json:"type"`
		URL     string            `json:"url"`
		Headers map[string]string `json:"headers"`
	}
	return mcpServers(server{"http", c.Endpoint, map[string]string{"Authorization": "Bearer " + c.Key}})
}

// bridge returns the same file for clients that speak to programs only.
func (c Created) bridge() string {
	type server struct {
		Command string            `json:"command"`
		Args    []string          `json:"args"`
		Env     map[string]string `json:"env"`
	}
	return mcpServers(server{"bb", []string{"connect", c.Endpoint}, map[string]string{"POLARIS_API_KEY": c.Key}})
}

func mcpServers(server any) string {
	b, err := json.MarshalIndent(map[string]map[string]any{"mcpServers": {"polaris": server}}, "", "  ")
	if err != nil {
		panic("keys: " + err.Error()) // strings always marshal
	}
	return string(b)
}

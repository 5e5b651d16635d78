// LangChain's MCP adapters: the tools as an agent of LangChain's is given them.
import { MultiServerMCPClient } from '@langchain/mcp-adapters'
import { headers, question, report, url } from './common.mjs'

await report(async () => {
  const client = new MultiServerMCPClient({ mcpServers: { polaris: { transport: 'http', url, headers } } })
  const tools = await client.getTools()
  const call = (name, args) => tools.find((t) => t.name === name).invoke(args)
  const answer = await call('answer', { query: question })
  let failed
  try {
    failed = await call('read_wiki', { entity: 'Nothing Of That Name' })
  } catch (e) {
    failed = { text: e.message, isError: true }
  }
  await client.close()
  return {
    tools: tools.map((t) => t.name),
    answer: { text: answer.text, structured: answer.structuredContent },
    failed,
  }
})

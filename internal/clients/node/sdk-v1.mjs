// The official TypeScript SDK, version 1.
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { headers, question, report, said, url } from './common.mjs'

await report(async () => {
  const client = new Client({ name: 'sdk-v1', version: '1.0.0' })
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }))
  const { tools } = await client.listTools()
  // Having listed the tools, the SDK holds the result against the schema.
  const answer = await client.callTool({ name: 'answer', arguments: { query: question } })
  const unknown = await client.callTool({ name: 'read_wiki', arguments: { entity: 'Nothing Of That Name' } })
  await client.ping()
  await client.close()
  return { tools: tools.map((t) => t.name), answer: said(answer), failed: said(unknown) }
})

// The official TypeScript SDK, version 2. The argument says which era of the
// protocol it may speak: legacy, auto, or a revision that it is pinned to.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { headers, question, report, said, url } from './common.mjs'

const mode = process.argv[2]

await report(async () => {
  const client = new Client(
    { name: 'sdk-v2', version: '1.0.0' },
    { versionNegotiation: { mode: ['legacy', 'auto'].includes(mode) ? mode : { pin: mode } } },
  )
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }))
  const { tools } = await client.listTools()
  const answer = await client.callTool({ name: 'answer', arguments: { query: question } })
  const unknown = await client.callTool({ name: 'read_wiki', arguments: { entity: 'Nothing Of That Name' } })
  await client.close()
  return { tools: tools.map((t) => t.name), answer: said(answer), failed: said(unknown) }
})

// OpenAI's agents, told to use chat completions: they try the Responses API
// otherwise. Tracing would send what is asked to OpenAI.
import { Agent, run, setDefaultOpenAIClient, setOpenAIAPI, setTracingDisabled } from '@openai/agents'
import OpenAI from 'openai'
import { key, question, report, url } from './common.mjs'

setTracingDisabled(true)
setOpenAIAPI('chat_completions')
setDefaultOpenAIClient(new OpenAI({ baseURL: url, apiKey: key }))

await report(async () => {
  const agent = new Agent({ name: 'Lender', instructions: 'Answer from the handbook.', model: 'polaris' })
  const whole = await run(agent, question)
  const stream = await run(agent, question, { stream: true })
  const pieces = []
  for await (const piece of stream.toTextStream()) pieces.push(piece)
  await stream.completed
  const tokens = (result) => result.rawResponses.reduce((n, r) => n + r.usage.totalTokens, 0)
  return {
    whole: { text: whole.finalOutput, finish: 'stop', tokens: tokens(whole) },
    streamed: { text: pieces.join(''), finish: 'stop', tokens: tokens(stream), pieces: pieces.length },
  }
})

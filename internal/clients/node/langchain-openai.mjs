// LangChain's model for OpenAI, whole and streamed.
import { ChatOpenAI } from '@langchain/openai'
import { key, question, report, url } from './common.mjs'

await report(async () => {
  const model = new ChatOpenAI({ model: 'polaris', apiKey: key, configuration: { baseURL: url }, __includeRawResponse: true })
  const whole = await model.invoke([['system', 'You are helpful.'], ['human', question]])
  const pieces = []
  let usage, envelope
  for await (const chunk of await model.stream(question)) {
    pieces.push(chunk.content)
    usage = chunk.usage_metadata ?? usage
    envelope = chunk.additional_kwargs.__raw_response?.polaris ?? envelope
  }
  return {
    whole: { text: whole.content, envelope: whole.additional_kwargs.__raw_response.polaris, finish: whole.response_metadata.finish_reason, tokens: whole.usage_metadata.total_tokens },
    streamed: { text: pieces.join(''), envelope, finish: 'stop', tokens: usage?.total_tokens, pieces: pieces.length },
  }
})

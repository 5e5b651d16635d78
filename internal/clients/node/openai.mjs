// OpenAI's own library for Node: only the base URL and the key are ours.
import OpenAI from 'openai'
import { key, question, report, url } from './common.mjs'

await report(async () => {
  const client = new OpenAI({ baseURL: url, apiKey: key })
  const models = (await client.models.list()).data.map((m) => m.id)
  const asked = { model: 'polaris', temperature: 0, messages: [{ role: 'system', content: 'You are helpful.' }, { role: 'user', content: question }] }
  const whole = await client.chat.completions.create(asked)
  const pieces = []
  let envelope, usage
  for await (const chunk of await client.chat.completions.create({ ...asked, stream: true, stream_options: { include_usage: true } })) {
    pieces.push(chunk.choices[0]?.delta.content ?? '')
    envelope = chunk.polaris ?? envelope
    usage = chunk.usage ?? usage
  }
  let unknown
  try {
    await client.chat.completions.create({ ...asked, model: 'gpt-none' })
  } catch (e) {
    unknown = `${e.constructor.name} ${e.status} ${e.code}`
  }
  const [choice] = whole.choices
  return {
    models,
    unknown,
    whole: { text: choice.message.content, envelope: whole.polaris, finish: choice.finish_reason, tokens: whole.usage.total_tokens },
    streamed: { text: pieces.join(''), envelope, finish: 'stop', tokens: usage?.total_tokens, pieces: pieces.length },
  }
})

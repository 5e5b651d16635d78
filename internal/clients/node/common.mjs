// What the scripts share: where the server is, and how they say what they saw.
export const url = process.env.POLARIS_URL
export const key = process.env.POLARIS_API_KEY
export const question = process.env.QUESTION
export const headers = { Authorization: `Bearer ${key}` }

// report prints what work saw as JSON; a failure is something seen, too. Then
// it ends the process: what a client leaves running is not what is tested.
export async function report(work) {
  let seen
  try {
    seen = await work()
  } catch (e) {
    seen = { error: [e?.name, e?.code, e?.status, e?.message, e?.cause?.message].filter((v) => v !== undefined).join(' ') }
  }
  process.stdout.write(JSON.stringify(seen), () => process.exit(0))
}

// said is a tool's result as the Go tests read it.
export const said = (result) => ({
  text: result.content.map((c) => c.text).join(''),
  structured: result.structuredContent,
  isError: result.isError ?? false,
})

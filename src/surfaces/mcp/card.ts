import { join } from 'node:path'

export const CARD_URI = 'ui://agent-trust-registry/evidence-card'
export const CARD_MIME = 'text/html;profile=mcp-app'

export interface Card {
  contents: () => Promise<{ uri: string; mimeType: string; text: string; _meta: Record<string, unknown> }>
}

/** One page with its script and the log policy inside. It may load nothing, and says so to its host and to the browser. */
export function evidenceCard(policy: () => string): Card {
  let script: Promise<string> | undefined
  return {
    async contents() {
      script ??= bundled().catch((error) => {
        script = undefined
        throw error
      })
      return {
        uri: CARD_URI,
        mimeType: CARD_MIME,
        text: page(await script, policy()),
        _meta: { ui: { csp: { connectDomains: [], resourceDomains: [] }, prefersBorder: true } },
      }
    },
  }
}

/** The verifier and the view in one script, made once when a client first asks for it. */
async function bundled(): Promise<string> {
  const { outputs } = await Bun.build({
    entrypoints: [join(import.meta.dir, 'card-view.ts')],
    target: 'browser',
    minify: true,
  })
  const [script] = outputs
  if (!script) throw new Error('the evidence card cannot be built')
  // In a page, this would end the script.
  return (await script.text()).replaceAll('</', '<\\/')
}

const STYLE = `body{font:16px/1.5 system-ui,sans-serif;margin:1rem;color:CanvasText;background:Canvas;color-scheme:light dark}
button{font:inherit;padding:.4rem 1rem}#statement{font-size:1.1rem;overflow-wrap:anywhere}[data-state=good]{font-weight:600}
[data-state=bad]{font-weight:600;text-decoration:underline}pre{white-space:pre-wrap;overflow-wrap:anywhere;font-size:.8rem}`

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')

const page = (script: string, policy: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'">
<title>Evidence of a price</title>
<style>${STYLE}</style>
</head>
<body>
<p id="statement">Waiting for an answer.</p>
<button id="verify" type="button" disabled>Verify the proof</button>
<p id="verdict" role="status"></p>
<details>
<summary>Keys</summary>
<p>The service sent these keys with this card. They show that nothing was changed on the way. Compare them with keys that you pinned before.</p>
<pre id="policy">${escaped(policy)}</pre>
</details>
<script type="module">${script}</script>
</body>
</html>
`

/** @jsxImportSource hono/jsx */
import { qrModules } from './qr.ts'

const QUIET = 4

/** The address as a QR code, one path for all its dark modules; nothing if it is too long for one. */
export const QrCode = ({ text }: { text: string }) => {
  const modules = qrModules(text)
  if (!modules) return null
  const side = modules.length + 2 * QUIET
  const runs = modules.flatMap((row, y) =>
    [
      ...row
        .map((dark) => (dark ? '1' : '0'))
        .join('')
        .matchAll(/1+/g),
    ].map(({ index, 0: run }) => `M${index + QUIET} ${y + QUIET}h${run.length}v1h-${run.length}z`),
  )
  return (
    <svg
      class="qr"
      viewBox={`0 0 ${side} ${side}`}
      role="img"
      aria-label="The address of this page as a QR code"
      shape-rendering="crispEdges"
    >
      <path d={runs.join('')} />
    </svg>
  )
}

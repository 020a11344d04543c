// The logo as an icon of 16 by 16 points, drawn here: a picture file would be one more thing to keep in step.

const PICTURE = `
.##############.
################
################
####........####
####.######..###
####.######.####
####.####.#.####
####.###.##.####
####.#.#.##.####
####.##.###.####
####.######.####
####.######.####
####........####
################
################
.##############.`
  .trim()
  .split('\n')

const SIDE = 16
const GREEN = [0x3b, 0x5d, 0x0b, 0xff]
const WHITE = [0xff, 0xff, 0xff, 0xff]
const CLEAR = [0, 0, 0, 0]
const HEADER_BYTES = 40
const PIXEL_BYTES = SIDE * SIDE * 4
/** One bit for each point, in rows of 32: all zero, because the colours say how clear a point is. */
const MASK_BYTES = SIDE * 4

/** An ICO file with one bitmap of 32 bits a point, its rows from the bottom up. */
export function favicon(): Uint8Array {
  const start = 22
  const icon = new Uint8Array(start + HEADER_BYTES + PIXEL_BYTES + MASK_BYTES)
  const view = new DataView(icon.buffer)
  view.setUint16(2, 1, true)
  view.setUint16(4, 1, true)
  icon.set([SIDE, SIDE], 6)
  view.setUint16(10, 1, true)
  view.setUint16(12, 32, true)
  view.setUint32(14, icon.length - start, true)
  view.setUint32(18, start, true)
  view.setUint32(start, HEADER_BYTES, true)
  view.setInt32(start + 4, SIDE, true)
  view.setInt32(start + 8, SIDE * 2, true)
  view.setUint16(start + 12, 1, true)
  view.setUint16(start + 14, 32, true)
  for (const [row, line] of PICTURE.entries())
    for (const [column, point] of [...line].entries()) {
      const isCorner = (row === 0 || row === SIDE - 1) && point === '.'
      const colour = isCorner ? CLEAR : point === '#' ? GREEN : WHITE
      icon.set(colour, start + HEADER_BYTES + ((SIDE - 1 - row) * SIDE + column) * 4)
    }
  return icon
}

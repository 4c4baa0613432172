// Joins still pictures in WebP to one animated WebP. The container is RIFF: https://developers.google.com/speed/webp/docs/riff_container

export interface Frame {
  /** A still picture in WebP. All frames have the same size. */
  readonly webp: Buffer
  readonly milliseconds: number
}

const chunk = (name: string, content: Buffer) =>
  Buffer.concat([
    Buffer.from(name, 'latin1'),
    uint(content.length, 4),
    content,
    // A chunk of odd length is padded, and its length does not count the padding.
    Buffer.alloc(content.length % 2),
  ])

/** Returns a number in little-endian order. */
function uint(value: number, bytes: number): Buffer {
  const buffer = Buffer.alloc(bytes)
  buffer.writeUIntLE(value, 0, bytes)
  return buffer
}

/** Returns the pixels of a lossy still picture without transparency: the content of its chunk `VP8 `. Other chunks have metadata. */
function pixelsOf(webp: Buffer): Buffer {
  for (let at = 12; at < webp.length;) {
    const length = webp.readUInt32LE(at + 4)
    if (webp.toString('latin1', at, at + 4) === 'VP8 ') return webp.subarray(at + 8, at + 8 + length)
    at += 8 + length + (length % 2)
  }
  throw new Error('The picture is not lossy WebP.')
}

/** Returns width and height, which the key frame of VP8 has in 14 bits each. */
const sizeOf = (pixels: Buffer) => [pixels.readUInt16LE(6) & 0x3fff, pixels.readUInt16LE(8) & 0x3fff] as const

const hasAnimation = 0b10
/** The frame replaces the one before; nothing of that one shows through. */
const noBlending = 0b10

/** Returns an animated WebP that repeats forever. */
export function animatedWebp(frames: readonly Frame[]): Buffer {
  const pictures = frames.map(({ webp, milliseconds }) => ({ pixels: pixelsOf(webp), milliseconds }))
  const sizes = pictures.map(({ pixels }) => sizeOf(pixels))
  const [[width, height] = [1, 1]] = sizes
  if (sizes.some((other) => other[0] !== width || other[1] !== height)) throw new Error('The frames differ in size.')
  const size = Buffer.concat([uint(width - 1, 3), uint(height - 1, 3)])
  const repeatForever = 0
  const background = 0
  const body = Buffer.concat([
    Buffer.from('WEBP', 'latin1'),
    chunk('VP8X', Buffer.concat([uint(hasAnimation, 4), size])),
    chunk('ANIM', Buffer.concat([uint(background, 4), uint(repeatForever, 2)])),
    ...pictures.map(({ pixels, milliseconds }) => {
      const place = [uint(0, 6), size, uint(milliseconds, 3), uint(noBlending, 1)]
      return chunk('ANMF', Buffer.concat([...place, chunk('VP8 ', pixels)]))
    }),
  ])
  return Buffer.concat([Buffer.from('RIFF', 'latin1'), uint(body.length, 4), body])
}

import fc from 'fast-check'
import { expect, it } from 'vitest'
import { piecesOf } from '../../../packages/ratecard/src/http/response/large-answer.ts'

it('the pieces of a text are the text, and none ends within a character', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.integer({ min: 1, max: 9 }), (text, length) => {
      const pieces = [...piecesOf(text, length)]
      expect(pieces.join('')).toBe(text)
      // Encoded one by one they would else hold replacement characters.
      expect(Buffer.concat(pieces.map((piece) => Buffer.from(piece))).toString()).toBe(text)
      expect(pieces.every((piece) => piece.length <= length + 1)).toBe(true)
    }),
  )
})

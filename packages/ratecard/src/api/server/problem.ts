// Schemas of problem responses (RFC 9457) and their issues.
import { Type } from 'typebox'
import { issueCodes, problemCodes, type IssueCode, type ProblemCode } from '../../base/errors/codes.ts'
import { named } from '../notation/marks.ts'
import { closed, shape, sharedSchema } from '../notation/schema.ts'

export const Issue = shape('Issue', {
  code: Type.Enum(Object.keys(issueCodes) as IssueCode[], {
    description: 'Code of the problem. Codes never change, so that programs can rely on them.',
  }),
  pointer: Type.String({
    description: 'JSON pointer (URI fragment) to the place; `#/query/…` and `#/path/…` for parameters.',
  }),
  severity: Type.Enum(['error', 'warning']),
  detail: Type.String(),
  hint: Type.Optional(Type.String({ description: 'Recommended next step.' })),
})

export const Problem = Type.Object(
  {
    type: Type.String({ description: 'URL of the explanation of the code.' }),
    title: Type.String({ description: 'Title of the problem, the same for every occurrence of the code.' }),
    status: Type.Integer({ minimum: 400, maximum: 599 }),
    detail: Type.String({ description: 'Explanation of this occurrence of the problem.' }),
    instance: Type.String({ description: '`urn:request:` and the X-Request-Id of the answer.' }),
    code: Type.Enum(Object.keys(problemCodes) as ProblemCode[], {
      description: 'Code of the problem, for programs. Codes never change.',
    }),
    hint: Type.Optional(Type.String({ description: 'Recommended next step.' })),
    errors: Type.Optional(Type.Array(sharedSchema(Issue))),
    processor: Type.Optional(
      Type.Object(
        {
          type: Type.Optional(Type.String()),
          code: Type.Optional(Type.String()),
          message: Type.Optional(Type.String()),
          param: Type.Optional(Type.String()),
          request_id: Type.Optional(Type.String()),
        },
        { ...closed, description: 'Message of the processor, unchanged.' },
      ),
    ),
  },
  { additionalProperties: true, description: 'A problem (RFC 9457).', [named]: 'Problem' },
)

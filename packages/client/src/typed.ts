import { RatecardError } from './error.ts'
import type { Call, Transport } from './transport.ts'

/**
 * The body of an answer, taken for what the contract promises. This is the one place where the client trusts the server
 * for a shape; a body that is no JSON object at all is refused.
 */
export async function read<Wire>(transport: Transport, path: string, call?: Call): Promise<Wire> {
  const { body, status } = await transport.send(path, call)
  if (typeof body !== 'object' || body === null)
    throw new RatecardError({ code: 'answer_invalid', status, message: `The answer to ${path} is not a JSON object.` })
  return body as Wire
}

export const segment = (id: string) => encodeURIComponent(id)

// Connections to the socket of one process, kept between requests.
import { Socket } from 'node:net'
import { Pool } from 'undici'

export function createPool(socketPath: string): Pool {
  // The runtime closes idle connections after five seconds; ours must go first, or a request meets a closing one.
  return new Pool('http://worker', {
    connect: (_options, callback) => {
      const socket = new PatientSocket()
      const fail = (error: Error): void => callback(error, null)
      socket.once('error', fail)
      socket.connect(socketPath, () => {
        socket.off('error', fail)
        callback(null, socket)
      })
    },
    connections: null,
    keepAliveTimeout: 2_000,
    keepAliveMaxTimeout: 3_000,
    bodyTimeout: 0,
    headersTimeout: 0,
  })
}

type DoneCallback = (error?: Error | null) => void

/**
 * A worker may answer and not care for the rest of the body; the runtime then closes the connection while we still write. The
 * answer is there to be read all the same, so a failed write is no end: the reading side has it, or tells of the death itself.
 */
class PatientSocket extends Socket {
  override _write(chunk: Buffer, encoding: BufferEncoding, done: DoneCallback): void {
    super._write(chunk, encoding, patient(done))
  }

  override _writev(chunks: { chunk: Buffer; encoding: BufferEncoding }[], done: DoneCallback): void {
    super._writev?.(chunks, patient(done))
  }
}

function patient(done: DoneCallback): DoneCallback {
  return (error) => done(error instanceof Error && 'code' in error && error.code === 'EPIPE' ? null : error)
}

// Pool of keep-alive connections to the socket of one process.
import { Socket } from 'node:net'
import { Pool } from 'undici'

export function createPool(socketPath: string): Pool {
  // workerd closes idle connections after five seconds. The pool must close them earlier, otherwise a request could be sent on a connection
  // that workerd is closing.
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
 * Socket that ignores write errors (EPIPE). A worker may respond before it has read the whole request body; workerd then closes the
 * connection during the write. The response can still be read, and a crash shows when reading.
 */
class PatientSocket extends Socket {
  override _write(chunk: Buffer, encoding: BufferEncoding, done: DoneCallback): void {
    super._write(chunk, encoding, ignoringClosedPipe(done))
  }

  override _writev(chunks: { chunk: Buffer; encoding: BufferEncoding }[], done: DoneCallback): void {
    super._writev?.(chunks, ignoringClosedPipe(done))
  }
}

function ignoringClosedPipe(done: DoneCallback): DoneCallback {
  return (error) => done(error instanceof Error && 'code' in error && error.code === 'EPIPE' ? null : error)
}

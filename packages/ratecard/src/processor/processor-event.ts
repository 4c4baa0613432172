/** An event of the processor account. `body` is the processor's own object, as a webhook endpoint receives it. */
export interface ProcessorEvent {
  readonly id: string
  readonly type: string
  readonly createdAt: number
  readonly body: Readonly<Record<string, unknown>>
}

// Text that users wrote, and ids.

/** Renders user-supplied text (id, name, message). `<bdi>` keeps right-to-left text from reordering the text around it. */
export const Text = ({ children, mono = false }: { readonly children: string; readonly mono?: boolean }) => (
  <bdi className={mono ? 'mono text' : 'text'}>{children}</bdi>
)

export const Id = ({ children }: { readonly children: string }) => <Text mono>{children}</Text>

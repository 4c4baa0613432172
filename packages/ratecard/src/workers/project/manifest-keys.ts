/** What is honoured at the top of a wrangler.toml. */
export const topKeys = [
  'name',
  'main',
  'compatibility_date',
  'compatibility_flags',
  'vars',
  'secrets',
  'triggers',
  'limits',
  'routes',
  'route',
  '$schema',
]

/** Sections that would put something into `env` on Cloudflare, and do not here. */
export const bindingKeys: ReadonlySet<string> = new Set(
  'ai analytics_engine_datasets browser d1_databases dispatch_namespaces durable_objects hyperdrive images kv_namespaces mtls_certificates pipelines queues r2_buckets secrets_store_secrets send_email services vectorize version_metadata workflows'.split(
    ' ',
  ),
)

export const variableName = /^[A-Za-z_$][\w$]*$/

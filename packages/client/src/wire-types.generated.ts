// Generated from the OpenAPI description by scripts/reference/wire-types.ts; do not edit.

export interface BillingConfig {
  $schema?: string
  version: string
  webhooks?: Array<{
    id?: string
    url: string
    events: string[]
    connect?: boolean
    description?: string
    previous_ids?: string[]
    processor_id?: string
  }>
  meters?: Array<{
    id: string
    display_name: string
    event_name: string
    default_aggregation?: {
      formula: 'sum' | 'count' | 'last'
    }
    customer_mapping?: {
      type: 'by_id'
      event_payload_key: string
    }
    value_settings?: {
      event_payload_key: string
    }
    previous_ids?: string[]
    processor_id?: string
  }>
  products: Array<{
    id: string
    name: string
    description?: string
    type?: 'service' | 'good'
    prices?: Array<{
      id: string
      amount?: number
      unit_amount_decimal?: string
      tiers?: Array<{
        up_to: number | 'inf'
        unit_amount?: number
        unit_amount_decimal?: string
        flat_amount?: number
      }>
      currency: 'usd' | 'eur' | 'gbp' | 'cad' | 'aud' | 'jpy' | 'inr' | 'brl' | 'mxn' | 'sgd' | 'hkd' | 'nzd' | 'chf' | 'sek' | 'dkk' | 'nok' | 'pln' | 'czk' | 'ils' | 'zar'
      interval?: 'day' | 'week' | 'month' | 'year'
      interval_count?: number
      usage_type?: 'licensed' | 'metered'
      meter?: string
      billing_scheme?: 'per_unit' | 'tiered'
      tiers_mode?: 'graduated' | 'volume'
      tax_included_in_price?: boolean
      public?: boolean
      default?: boolean
      enterprise_template?: string
      enterprise_id?: string
      base_price?: string
      metadata?: Record<string, string>
      previous_ids?: string[]
      processor_id?: string
      ui?: {
        display_name?: string
        billing_period?: string
        price_display?: {
          custom_text?: string
          show_currency?: boolean
          suffix?: string
        }
        features?: string[]
        limits?: Array<{
          text?: string
          value?: number
          unit?: string
        }>
      }
    }>
    ui?: {
      display_name?: string
      tagline?: string
      badge?: string
      highlighted?: boolean
      cta_text?: string
      sort_order?: number
      features?: string[]
    }
    metadata?: Record<string, string>
    previous_ids?: string[]
    processor_id?: string
  }>
  coupons?: Array<{
    id: string
    name?: string
    percent_off?: number
    amount_off?: number
    currency?: 'usd' | 'eur' | 'gbp' | 'cad' | 'aud' | 'jpy' | 'inr' | 'brl' | 'mxn' | 'sgd' | 'hkd' | 'nzd' | 'chf' | 'sek' | 'dkk' | 'nok' | 'pln' | 'czk' | 'ils' | 'zar'
    duration: 'once' | 'repeating' | 'forever'
    duration_in_months?: number
    max_redemptions?: number
    redeem_by?: string | number
    applies_to?: string[]
    metadata?: Record<string, string>
    previous_ids?: string[]
    processor_id?: string
  }>
  promotion_codes?: Array<{
    id: string
    code: string
    coupon: string
    active?: boolean
    max_redemptions?: number
    first_time_transaction?: boolean
    minimum_amount?: number
    minimum_amount_currency?: 'usd' | 'eur' | 'gbp' | 'cad' | 'aud' | 'jpy' | 'inr' | 'brl' | 'mxn' | 'sgd' | 'hkd' | 'nzd' | 'chf' | 'sek' | 'dkk' | 'nok' | 'pln' | 'czk' | 'ils' | 'zar'
    expires_at?: string | number
    metadata?: Record<string, string>
    previous_ids?: string[]
    processor_id?: string
  }>
}

export interface Product {
  id: string
  name: string
  description?: string
  type?: 'service' | 'good'
  prices?: Array<{
    id: string
    amount?: number
    unit_amount_decimal?: string
    tiers?: Array<{
      up_to: number | 'inf'
      unit_amount?: number
      unit_amount_decimal?: string
      flat_amount?: number
    }>
    currency: 'usd' | 'eur' | 'gbp' | 'cad' | 'aud' | 'jpy' | 'inr' | 'brl' | 'mxn' | 'sgd' | 'hkd' | 'nzd' | 'chf' | 'sek' | 'dkk' | 'nok' | 'pln' | 'czk' | 'ils' | 'zar'
    interval?: 'day' | 'week' | 'month' | 'year'
    interval_count?: number
    usage_type?: 'licensed' | 'metered'
    meter?: string
    billing_scheme?: 'per_unit' | 'tiered'
    tiers_mode?: 'graduated' | 'volume'
    tax_included_in_price?: boolean
    public?: boolean
    default?: boolean
    enterprise_template?: string
    enterprise_id?: string
    base_price?: string
    metadata?: Record<string, string>
    previous_ids?: string[]
    processor_id?: string
    ui?: {
      display_name?: string
      billing_period?: string
      price_display?: {
        custom_text?: string
        show_currency?: boolean
        suffix?: string
      }
      features?: string[]
      limits?: Array<{
        text?: string
        value?: number
        unit?: string
      }>
    }
  }>
  ui?: {
    display_name?: string
    tagline?: string
    badge?: string
    highlighted?: boolean
    cta_text?: string
    sort_order?: number
    features?: string[]
  }
  metadata?: Record<string, string>
  previous_ids?: string[]
  processor_id?: string
}

export interface Price {
  id: string
  amount?: number
  unit_amount_decimal?: string
  tiers?: Array<{
    up_to: number | 'inf'
    unit_amount?: number
    unit_amount_decimal?: string
    flat_amount?: number
  }>
  currency: 'usd' | 'eur' | 'gbp' | 'cad' | 'aud' | 'jpy' | 'inr' | 'brl' | 'mxn' | 'sgd' | 'hkd' | 'nzd' | 'chf' | 'sek' | 'dkk' | 'nok' | 'pln' | 'czk' | 'ils' | 'zar'
  interval?: 'day' | 'week' | 'month' | 'year'
  interval_count?: number
  usage_type?: 'licensed' | 'metered'
  meter?: string
  billing_scheme?: 'per_unit' | 'tiered'
  tiers_mode?: 'graduated' | 'volume'
  tax_included_in_price?: boolean
  public?: boolean
  default?: boolean
  enterprise_template?: string
  enterprise_id?: string
  base_price?: string
  metadata?: Record<string, string>
  previous_ids?: string[]
  processor_id?: string
  ui?: {
    display_name?: string
    billing_period?: string
    price_display?: {
      custom_text?: string
      show_currency?: boolean
      suffix?: string
    }
    features?: string[]
    limits?: Array<{
      text?: string
      value?: number
      unit?: string
    }>
  }
}

export interface Meter {
  id: string
  display_name: string
  event_name: string
  default_aggregation?: {
    formula: 'sum' | 'count' | 'last'
  }
  customer_mapping?: {
    type: 'by_id'
    event_payload_key: string
  }
  value_settings?: {
    event_payload_key: string
  }
  previous_ids?: string[]
  processor_id?: string
}

export interface Calculation {
  quantity: number
}

export interface Issue {
  code: 'field_missing' | 'field_unknown' | 'type_wrong' | 'value_invalid' | 'enum_unknown' | 'syntax' | 'document_too_large' | 'issues_truncated' | 'version_format' | 'version_disagrees' | 'version_not_raised' | 'products_empty' | 'amount_negative' | 'amount_or_tiers' | 'tiers_missing' | 'tiers_invalid' | 'tier_amount_missing' | 'interval_unknown' | 'interval_missing' | 'interval_too_long' | 'interval_count_alone' | 'currency_unknown' | 'meter_missing' | 'meter_undefined' | 'meter_unused_field' | 'public_enterprise' | 'enterprise_both' | 'default_duplicate' | 'default_enterprise' | 'base_price_missing' | 'base_price_undefined' | 'base_price_mismatch' | 'base_price_duplicate' | 'base_price_unused_field' | 'id_duplicate' | 'previous_id_conflict' | 'event_name_duplicate' | 'webhook_url_duplicate' | 'webhook_url_invalid' | 'webhook_event_unknown' | 'webhook_event_duplicate' | 'webhook_id_missing' | 'code_duplicate' | 'code_exceeds_coupon' | 'coupon_undefined' | 'coupon_discount' | 'coupon_currency' | 'coupon_duration' | 'product_undefined' | 'minimum_amount_currency' | 'metadata_reserved' | 'text_malformed' | 'variable_unset' | 'variable_forbidden' | 'variable_malformed' | 'merge_conflict' | 'amount_suspicious' | 'amount_below_minimum' | 'product_type_changed' | 'lookup_key_taken' | 'processor_id_unknown' | 'processor_id_conflict' | 'processor_id_taken' | 'meter_event_name_taken' | 'code_taken' | 'coupon_redemptions_restart' | 'webhook_limit' | 'webhook_url_foreign' | 'date_past' | 'looks_like_rename' | 'switched_off_at_processor' | 'switched_on_again' | 'drift' | 'subscribers_affected' | 'migration_waiting' | 'meter_in_use'
  pointer: string
  severity: 'error' | 'warning'
  detail: string
  hint?: string
}

export interface Problem {
  type: string
  title: string
  status: number
  detail: string
  instance: string
  code: 'json_malformed' | 'request_invalid' | 'service_key_missing' | 'service_key_invalid' | 'service_key_expired' | 'session_invalid' | 'not_allowed' | 'key_scope' | 'route_not_found' | 'config_not_found' | 'revision_not_found' | 'price_not_found' | 'product_not_found' | 'meter_not_found' | 'mapping_not_found' | 'push_not_found' | 'webhook_not_found' | 'key_not_found' | 'tenant_not_found' | 'session_not_found' | 'job_not_found' | 'deployment_not_found' | 'enterprise_price_not_found' | 'worker_not_found' | 'method_not_allowed' | 'written_form_mismatch' | 'push_in_progress' | 'push_unfinished' | 'push_not_resumable' | 'push_not_running' | 'tenant_busy' | 'job_not_running' | 'push_cancelled' | 'deployment_in_progress' | 'version_conflict' | 'processor_drift' | 'plan_stale' | 'impact_not_approved' | 'account_mismatch' | 'key_last' | 'request_in_progress' | 'idempotency_key_reused' | 'already_subscribed' | 'conflict' | 'store_not_found' | 'store_in_use' | 'backup_invalid' | 'body_too_large' | 'media_type_unsupported' | 'config_invalid' | 'plan_refused' | 'quantity_invalid' | 'price_not_sellable' | 'checkout_invalid' | 'processor_rejected' | 'cron_invalid' | 'worker_bundle_invalid' | 'worker_start_failed' | 'rate_limited' | 'settings_invalid' | 'internal' | 'secret_unreadable' | 'worker_exception' | 'processor_unauthorized' | 'processor_broken' | 'processor_rate_limited' | 'processor_unavailable' | 'store_unavailable' | 'shutting_down' | 'worker_exceeded_cpu' | 'worker_exceeded_memory' | 'worker_unavailable' | 'processor_timeout' | 'worker_timeout'
  hint?: string
  errors?: Issue[]
  processor?: {
    type?: string
    code?: string
    message?: string
    param?: string
    request_id?: string
  }
}

export interface ChangeReport {
  products: {
    created: string[]
    updated: string[]
    archived: string[]
  }
  prices: {
    created: string[]
    updated: string[]
    archived: string[]
  }
  meters: {
    created: string[]
    updated: string[]
    deactivated: string[]
  }
  webhooks: {
    created: string[]
    updated: string[]
    unchanged: string[]
  }
  coupons: {
    created: string[]
    updated: string[]
    archived: string[]
  }
  promotion_codes: {
    created: string[]
    updated: string[]
    archived: string[]
  }
}

export interface Detail {
  kind: 'meter' | 'product' | 'price' | 'coupon' | 'promotion_code' | 'webhook'
  config_id: string
  action: 'create' | 'adopt' | 'update' | 'rename' | 'replace' | 'reactivate' | 'archive' | 'keep'
  because: string[]
  fields: Array<{
    field: string
    before: unknown
    after: unknown
    origin: 'edit' | 'drift' | 'both'
  }>
  processor_id_before: string | null
  processor_id_after: string | null
  display: {
    before: string | null
    after: string | null
  }
}

export interface PriceImpact {
  price_id: string
  processor_price_id: string
  action: 'archive' | 'replace'
  subscriptions: number
  subscriptions_without_tenant: number
  tenants: number
  monthly: Array<{
    currency: string
    amount: number
    formatted: string
  }>
  usage_based: boolean
}

export interface PushStep {
  index: number
  op: 'create' | 'update' | 'archive' | 'record'
  kind: 'meter' | 'product' | 'price' | 'coupon' | 'promotion_code' | 'webhook'
  config_id: string
  state: 'pending' | 'begun' | 'succeeded' | 'failed' | 'unknown' | 'skipped'
  attempts: number
  processor_id: string | null
  request_id: string | null
  error: Record<string, unknown> | null
}

/** Bodies of JSON answers, by operation and status. */
export interface Answers {
  getOpenApi: {
    200: Record<string, unknown>
  }
  getSchema: {
    200: Record<string, unknown>
  }
  getConfig: {
    200: {
      id: string
      version: string
      revision: number
      created_at: string
      updated_at: string
      config: BillingConfig
    }
  }
  getPrice: {
    200: {
      price: Price
      product: Product
    }
  }
  getProduct: {
    200: {
      product: Product
    }
  }
  getMeter: {
    200: {
      meter: Meter
    }
  }
  calculatePrice: {
    200: {
      price_id: string
      quantity: number
      currency: string
      billing_scheme: 'per_unit' | 'tiered'
      tiers_mode?: 'graduated' | 'volume'
      amount: number
      amount_decimal: string
      effective_unit_amount: number | string | null
      formatted: string
      breakdown: Array<{
        up_to: number | 'inf'
        quantity: number
        unit_amount: number | string
        flat_amount: number | string
        amount: number | string
      }>
    }
  }
  convertProcessorId: {
    200: {
      config_id: string
      processor_id: string
      item_type: 'meter' | 'product' | 'price' | 'coupon' | 'promotion_code' | 'webhook'
      history_count: number
      current: boolean
    }
  }
  createCheckout: {
    200: {
      url: string
      session_id: string | null
    }
  }
  createPortal: {
    200: {
      url: string
    }
  }
  recordUsage: {
    200: {
      meter: string
      tenant_id: string
      value: number | string
      timestamp: string | null
      identifier: string
    }
  }
  getFullConfig: {
    200: {
      id: string
      version: string
      revision: number
      created_at: string
      updated_at: string
      config: BillingConfig
    }
  }
  pushConfig: {
    200: {
      status: 'applied' | 'unchanged' | 'planned'
      version: string
      revision: number | null
      push_id: string | null
      changes: ChangeReport
      details: Detail[]
      warnings: Issue[]
      impact: PriceImpact[]
      writes: number
      plan: string
    }
    202: {
      push_id: string
      state: 'running'
    }
  }
  keepWritten: {
    200: {
      written: string
    }
  }
  validateConfig: {
    200: {
      valid: boolean
      errors: Issue[]
      warnings: Issue[]
    }
  }
  rollbackConfig: {
    200: {
      status: 'applied' | 'unchanged' | 'planned'
      version: string
      revision: number | null
      push_id: string | null
      changes: ChangeReport
      details: Detail[]
      warnings: Issue[]
      impact: PriceImpact[]
      writes: number
      plan: string
    }
    202: {
      push_id: string
      state: 'running'
    }
  }
  pullConfig: {
    200: BillingConfig | {
      document: BillingConfig
      unrepresented: Array<{
        kind: string
        processor_id: string
        reason: string
      }>
    }
  }
  getDrift: {
    200: {
      in_sync: boolean
      revision: number
      version: string
      differences: Detail[]
      unmanaged: Array<{
        kind: 'meter' | 'product' | 'price' | 'coupon' | 'promotion_code' | 'webhook'
        processor_id: string
        name: string | null
      }>
    }
  }
  resetConfig: {
    200: {
      archived: {
        products: string[]
        prices: string[]
        meters: string[]
        coupons: string[]
        promotion_codes: string[]
      }
      errors: Array<{
        kind: 'meter' | 'product' | 'price' | 'coupon' | 'promotion_code' | 'webhook'
        config_id: string
        detail: string
      }>
      revision: number
    }
  }
  listVersions: {
    200: {
      versions: Array<{
        revision: number
        version: string
        kind: 'push' | 'rollback' | 'reset'
        created_at: string
        author: string | null
        by: {
          key_id: string
          key_name: string
        } | null
        message: string | null
        checksum: string
        push_id: string | null
        changes: ChangeReport
      }>
      pagination: {
        total: number
        limit: number
        offset: number
        has_more: boolean
      }
    }
  }
  getRevision: {
    200: {
      revision: number
      version: string
      kind: 'push' | 'rollback' | 'reset'
      created_at: string
      author: string | null
      by: {
        key_id: string
        key_name: string
      } | null
      message: string | null
      checksum: string
      push_id: string | null
      changes: ChangeReport
      document: BillingConfig | null
      written: Record<string, unknown> | null
    }
  }
  compareRevisions: {
    200: {
      from: number
      to: number
      differences: Array<{
        kind: 'meter' | 'product' | 'price' | 'coupon' | 'promotion_code' | 'webhook'
        config_id: string
        change: 'added' | 'changed' | 'removed'
        fields: Array<{
          field: string
          before: unknown
          after: unknown
        }>
        display: {
          before: string | null
          after: string | null
        }
      }>
    }
  }
  listPushes: {
    200: {
      pushes: Array<{
        id: string
        kind: 'push' | 'rollback' | 'reset'
        state: 'planned' | 'running' | 'interrupted' | 'applied' | 'failed' | 'abandoned'
        version: string
        revision: number | null
        author: string | null
        by: {
          key_id: string
          key_name: string
        } | null
        message: string | null
        created_at: string
        updated_at: string
        finished_at: string | null
        steps_total: number
        steps_done: number
      }>
      pagination: {
        total: number
        limit: number
        offset: number
        has_more: boolean
      }
    }
  }
  getPush: {
    200: {
      id: string
      kind: 'push' | 'rollback' | 'reset'
      state: 'planned' | 'running' | 'interrupted' | 'applied' | 'failed' | 'abandoned'
      version: string
      revision: number | null
      author: string | null
      by: {
        key_id: string
        key_name: string
      } | null
      message: string | null
      created_at: string
      updated_at: string
      finished_at: string | null
      steps_total: number
      steps_done: number
      error: Record<string, unknown> | null
      steps: PushStep[]
    }
  }
  resumePush: {
    200: {
      status: 'applied' | 'unchanged' | 'planned'
      version: string
      revision: number | null
      push_id: string | null
      changes: ChangeReport
      details: Detail[]
      warnings: Issue[]
      impact: PriceImpact[]
      writes: number
      plan: string
    }
    202: {
      push_id: string
      state: 'running'
    }
  }
  cancelPush: {
    202: {
      id: string
      kind: 'push' | 'rollback' | 'reset'
      state: 'planned' | 'running' | 'interrupted' | 'applied' | 'failed' | 'abandoned'
      version: string
      revision: number | null
      author: string | null
      by: {
        key_id: string
        key_name: string
      } | null
      message: string | null
      created_at: string
      updated_at: string
      finished_at: string | null
      steps_total: number
      steps_done: number
    }
  }
  listTemplatePrices: {
    200: {
      prices: Price[]
    }
  }
  listEnterprisePrices: {
    200: {
      prices: Price[]
    }
  }
  listWebhooks: {
    200: {
      webhooks: Array<{
        id: string
        url: string
        events: string[]
        processor_id: string | null
        secret: string | null
        secret_known: boolean
        created_at: string | null
      }>
    }
  }
  rotateWebhook: {
    201: {
      id: string
      url: string
      processor_id: string
      secret: string
      previous: {
        processor_id: string
        live_until: string
      }
      job_id: string
    }
  }
  listProcessorEvents: {
    200: {
      events: Array<{
        id: string
        type: string
        created_at: string
        body: Record<string, unknown>
      }>
      last: string | null
    }
  }
  createKey: {
    201: {
      id: string
      name: string
      hint: string
      scope: 'read' | 'write'
      created_at: string
      expires_at: string | null
      last_used_at: string | null
      revoked_at: string | null
      key: string
    }
  }
  listKeys: {
    200: {
      keys: Array<{
        id: string
        name: string
        hint: string
        scope: 'read' | 'write'
        created_at: string
        expires_at: string | null
        last_used_at: string | null
        revoked_at: string | null
      }>
    }
  }
  runDoctor: {
    200: {
      findings: Array<{
        check: string
        status: 'ok' | 'warning' | 'problem'
        detail: string
        hint?: string
      }>
    }
  }
  createTenant: {
    201: {
      id: string
      name: string
      email: string | null
      processor_customer_id: string | null
      enterprise_template: string | null
      enterprise_id: string | null
      created_at: string
      updated_at: string
    }
  }
  listTenants: {
    200: {
      tenants: Array<{
        id: string
        name: string
        email: string | null
        processor_customer_id: string | null
        enterprise_template: string | null
        enterprise_id: string | null
        created_at: string
        updated_at: string
      }>
      pagination: {
        total: number
        limit: number
        offset: number
        has_more: boolean
      }
    }
  }
  getTenant: {
    200: {
      id: string
      name: string
      email: string | null
      processor_customer_id: string | null
      enterprise_template: string | null
      enterprise_id: string | null
      created_at: string
      updated_at: string
    }
  }
  updateTenant: {
    200: {
      id: string
      name: string
      email: string | null
      processor_customer_id: string | null
      enterprise_template: string | null
      enterprise_id: string | null
      created_at: string
      updated_at: string
    }
  }
  listTenantSubscriptions: {
    200: {
      tenant_id: string
      billing_status: 'none' | 'free' | 'trialing' | 'active' | 'past_due' | 'unpaid' | 'incomplete' | 'paused'
      subscriptions: Array<{
        id: string
        home: 'processor' | 'local'
        status: string
        currency: string | null
        cancel_at_period_end: boolean
        trial_end: string | null
        created_at: string
        duplicate_of: string | null
        items: Array<{
          id: string
          price_id: string | null
          processor_price_id: string
          quantity: number | null
          legacy: boolean
          usage_type: 'licensed' | 'metered'
          current_period_end: string | null
          scheduled_price_id: string | null
        }>
      }>
    }
  }
  getUpcomingInvoice: {
    200: {
      tenant_id: string
      currency: string | null
      subtotal: number | null
      total: number | null
      amount_due: number | null
      due_at: string | null
      formatted: string | null
      lines: Array<{
        description: string | null
        price_id: string | null
        processor_price_id: string | null
        quantity: number | null
        amount: number
        period_start: string
        period_end: string
      }>
      invoices: Array<{
        subscription: string
        currency: string
        subtotal: number
        total: number
        amount_due: number
        due_at: string | null
        formatted: string
        lines: Array<{
          description: string | null
          price_id: string | null
          processor_price_id: string | null
          quantity: number | null
          amount: number
          period_start: string
          period_end: string
        }>
      }>
    }
  }
  listTenantAudit: {
    200: {
      entries: Array<{
        id: string
        action: string
        before: Record<string, unknown> | null
        after: Record<string, unknown> | null
        result: Record<string, unknown> | null
        author: string | null
        by: {
          key_id: string
          key_name: string
        } | null
        key_id: string | null
        request_id: string | null
        created_at: string
      }>
      pagination: {
        total: number
        limit: number
        offset: number
        has_more: boolean
      }
    }
  }
  createSession: {
    201: {
      id: string
      tenant_id: string
      value: string
      created_at: string
      expires_at: string
    }
  }
  applyTemplate: {
    200: {
      tenant_id: string
      dry_run?: true
      prices_swapped: number
      swaps: Array<{
        subscription: string
        item: string
        from: string
        to: string
        effective: 'now' | 'period_end'
      }>
      skipped: Array<{
        subscription: string
        item: string | null
        price: string
        reason: string
        detail?: string
      }>
      left_on_other_deal: number
      checkouts_closed: number
    }
  }
  applyCustom: {
    200: {
      tenant_id: string
      dry_run?: true
      prices_swapped: number
      swaps: Array<{
        subscription: string
        item: string
        from: string
        to: string
        effective: 'now' | 'period_end'
      }>
      skipped: Array<{
        subscription: string
        item: string | null
        price: string
        reason: string
        detail?: string
      }>
      left_on_other_deal: number
      checkouts_closed: number
    }
  }
  removeEnterprise: {
    200: {
      tenant_id: string
      dry_run?: true
      prices_swapped: number
      swaps: Array<{
        subscription: string
        item: string
        from: string
        to: string
        effective: 'now' | 'period_end'
      }>
      skipped: Array<{
        subscription: string
        item: string | null
        price: string
        reason: string
        detail?: string
      }>
      left_on_other_deal: number
      checkouts_closed: number
    }
  }
  getEnterpriseCoverage: {
    200: {
      templates: string[]
      enterprise_ids: string[]
      rows: Array<{
        base_price_id: string
        cells: Array<{
          target: string
          price_id: string | null
        }>
      }>
      gaps: number
      without_base: string[]
    }
  }
  moveTemplate: {
    202: {
      id: string
      kind: 'enterprise_apply' | 'template_move' | 'migration' | 'webhook_rotation'
      subject: string
      state: 'running' | 'waiting' | 'interrupted' | 'done' | 'failed' | 'cancelled'
      resumes_at: string | null
      author: string | null
      by: {
        key_id: string
        key_name: string
      } | null
      message: string | null
      created_at: string
      updated_at: string
      finished_at: string | null
      steps_total: number
      steps_done: number
    }
  }
  startMigration: {
    200: {
      price_id: string
      lines: Array<{
        tenant_id: string | null
        customer: string
        subscription: string
        item: string
        from_processor_price_id: string
        to_processor_price_id: string
        quantity: number | null
        currency: string
        monthly_before: number | null
        monthly_after: number | null
        effective: 'now' | 'period_end'
        effective_at: string
        skipped: string | null
      }>
      totals: Array<{
        currency: string
        subscriptions: number
        before: number
        after: number
      }>
    }
    202: {
      id: string
      kind: 'enterprise_apply' | 'template_move' | 'migration' | 'webhook_rotation'
      subject: string
      state: 'running' | 'waiting' | 'interrupted' | 'done' | 'failed' | 'cancelled'
      resumes_at: string | null
      author: string | null
      by: {
        key_id: string
        key_name: string
      } | null
      message: string | null
      created_at: string
      updated_at: string
      finished_at: string | null
      steps_total: number
      steps_done: number
    }
  }
  listJobs: {
    200: {
      jobs: Array<{
        id: string
        kind: 'enterprise_apply' | 'template_move' | 'migration' | 'webhook_rotation'
        subject: string
        state: 'running' | 'waiting' | 'interrupted' | 'done' | 'failed' | 'cancelled'
        resumes_at: string | null
        author: string | null
        by: {
          key_id: string
          key_name: string
        } | null
        message: string | null
        created_at: string
        updated_at: string
        finished_at: string | null
        steps_total: number
        steps_done: number
      }>
      pagination: {
        total: number
        limit: number
        offset: number
        has_more: boolean
      }
    }
  }
  getJob: {
    200: {
      id: string
      kind: 'enterprise_apply' | 'template_move' | 'migration' | 'webhook_rotation'
      subject: string
      state: 'running' | 'waiting' | 'interrupted' | 'done' | 'failed' | 'cancelled'
      resumes_at: string | null
      author: string | null
      by: {
        key_id: string
        key_name: string
      } | null
      message: string | null
      created_at: string
      updated_at: string
      finished_at: string | null
      steps_total: number
      steps_done: number
      input: Record<string, unknown>
      error: Record<string, unknown> | null
      steps: Array<{
        index: number
        state: 'pending' | 'begun' | 'succeeded' | 'failed' | 'unknown' | 'skipped'
        attempts: number
        step: Record<string, unknown>
        result: Record<string, unknown> | null
        error: Record<string, unknown> | null
      }>
    }
  }
  resumeJob: {
    202: {
      id: string
      kind: 'enterprise_apply' | 'template_move' | 'migration' | 'webhook_rotation'
      subject: string
      state: 'running' | 'waiting' | 'interrupted' | 'done' | 'failed' | 'cancelled'
      resumes_at: string | null
      author: string | null
      by: {
        key_id: string
        key_name: string
      } | null
      message: string | null
      created_at: string
      updated_at: string
      finished_at: string | null
      steps_total: number
      steps_done: number
    }
  }
  cancelJob: {
    200: {
      id: string
      kind: 'enterprise_apply' | 'template_move' | 'migration' | 'webhook_rotation'
      subject: string
      state: 'running' | 'waiting' | 'interrupted' | 'done' | 'failed' | 'cancelled'
      resumes_at: string | null
      author: string | null
      by: {
        key_id: string
        key_name: string
      } | null
      message: string | null
      created_at: string
      updated_at: string
      finished_at: string | null
      steps_total: number
      steps_done: number
    }
  }
  deployWorker: {
    201: {
      name: string
      url: string
      state: 'running' | 'starting' | 'restarting' | 'stopped' | 'idle' | 'unavailable'
      restarts: number
      last_exit: string | null
      hosts: string[]
      deployment: {
        id: string
        created_at: string
        author: string | null
        message: string | null
        checksum: string
        environment: string | null
        active: boolean
        variables: string[]
        crons: string[]
        size_bytes: number
      }
      crons: Array<{
        cron: string
        next_at: string
      }>
    }
  }
  listDeployments: {
    200: {
      deployments: Array<{
        id: string
        created_at: string
        author: string | null
        message: string | null
        checksum: string
        environment: string | null
        active: boolean
        variables: string[]
        crons: string[]
        size_bytes: number
      }>
      pagination: {
        total: number
        limit: number
        offset: number
        has_more: boolean
      }
    }
  }
  rollBackWorker: {
    200: {
      name: string
      url: string
      state: 'running' | 'starting' | 'restarting' | 'stopped' | 'idle' | 'unavailable'
      restarts: number
      last_exit: string | null
      hosts: string[]
      deployment: {
        id: string
        created_at: string
        author: string | null
        message: string | null
        checksum: string
        environment: string | null
        active: boolean
        variables: string[]
        crons: string[]
        size_bytes: number
      }
      crons: Array<{
        cron: string
        next_at: string
      }>
    }
  }
  getWorker: {
    200: {
      name: string
      url: string
      state: 'running' | 'starting' | 'restarting' | 'stopped' | 'idle' | 'unavailable'
      restarts: number
      last_exit: string | null
      hosts: string[]
      deployment: {
        id: string
        created_at: string
        author: string | null
        message: string | null
        checksum: string
        environment: string | null
        active: boolean
        variables: string[]
        crons: string[]
        size_bytes: number
      }
      crons: Array<{
        cron: string
        next_at: string
      }>
    }
  }
  listWorkers: {
    200: {
      workers: Array<{
        name: string
        url: string
        state: 'running' | 'starting' | 'restarting' | 'stopped' | 'idle' | 'unavailable'
        restarts: number
        last_exit: string | null
        hosts: string[]
        deployment: {
          id: string
          created_at: string
          author: string | null
          message: string | null
          checksum: string
          environment: string | null
          active: boolean
          variables: string[]
          crons: string[]
          size_bytes: number
        }
        crons: Array<{
          cron: string
          next_at: string
        }>
      }>
    }
  }
  getWorkerLogs: {
    200: {
      logs: Array<{
        id: string
        time: string
        level: string
        message: string
        request_id?: string
        run_id?: string
        deployment: string
      }>
    }
  }
  listCronRuns: {
    200: {
      runs: Array<{
        id: string
        cron: string
        scheduled_time: string
        started_at: string | null
        finished_at: string | null
        outcome: 'ok' | 'exception' | 'exceeded_cpu' | 'exceeded_memory' | 'timed_out' | 'skipped' | 'missed' | 'lost' | 'running'
        cpu_ms: number | null
        error?: string
      }>
      pagination: {
        total: number
        limit: number
        offset: number
        has_more: boolean
      }
    }
  }
  triggerCron: {
    200: {
      id: string
      cron: string
      scheduled_time: string
      started_at: string | null
      finished_at: string | null
      outcome: 'ok' | 'exception' | 'exceeded_cpu' | 'exceeded_memory' | 'timed_out' | 'skipped' | 'missed' | 'lost' | 'running'
      cpu_ms: number | null
      error?: string
    }
  }
  getHealth: {
    200: {
      status: 'ok'
      uptime_seconds: number
    }
  }
  getReadiness: {
    200: {
      ready: boolean
      checks: {
        store: {
          ok: boolean
          detail: string
        }
        processor: {
          ok: boolean
          detail: string
        }
        workers: {
          ok: boolean
          detail: string
        }
      }
    }
  }
}

/** Bodies of requests, by operation. */
export interface Bodies {
  calculatePrice: Calculation
  createCheckout: {
    price_id: string
    success_url: string
    cancel_url: string
    quantity?: number
    trial_period_days?: number
    allow_promotion_codes?: boolean
    promotion_code?: string
    allow_duplicate?: boolean
    tenant_id?: string
  }
  createPortal: {
    return_url: string
    tenant_id?: string
  }
  recordUsage: {
    meter: string
    value: number | string
    tenant_id?: string
    timestamp?: string
    identifier?: string
  }
  pushConfig: BillingConfig
  keepWritten: Record<string, unknown>
  validateConfig: BillingConfig
  rollbackConfig: {
    revision: number
  }
  rotateWebhook: {
    overlap_seconds?: number
  }
  createKey: {
    name: string
    scope?: 'read' | 'write'
    expires_at?: string
  }
  createTenant: {
    id?: string
    name: string
    email?: string | null
    processor_customer_id?: string | null
  }
  updateTenant: {
    name?: string
    email?: string | null
    processor_customer_id?: string | null
  }
  createSession: {
    tenant_id: string
    ttl_seconds?: number
  }
  applyTemplate: {
    tenant_id: string
    enterprise_template: string
    unmatched?: 'keep' | 'base'
  }
  applyCustom: {
    tenant_id: string
    enterprise_id: string
    unmatched?: 'keep' | 'base'
  }
  removeEnterprise: {
    tenant_id: string
  }
  moveTemplate: {
    enterprise_template: string
  }
  startMigration: {
    price_id: string
    to?: string
    only?: readonly string[]
    except?: readonly string[]
  }
  deployWorker: {
    name?: string
    modules: ReadonlyArray<{
      name: string
      type: 'esm' | 'text' | 'data' | 'wasm' | 'json'
      content: string
    }>
    main: string
    source_map?: string | null
    compatibility_date: string
    compatibility_flags?: readonly string[]
    vars?: Record<string, unknown>
    secrets?: Record<string, string>
    crons?: readonly string[]
    cpu_ms?: number | null
    hosts?: readonly string[]
    service_key?: 'read' | 'write' | null
    pass_credentials?: boolean
    environment?: string | null
    author?: string | null
    message?: string | null
  }
  rollBackWorker: {
    deployment?: string | null
  } | null
  triggerCron: {
    cron?: string | null
  } | null
}

// The SDK adds notices to its user agent when it finds itself under an automated tool; tests must not depend on that.
process.env['STRIPE_SUPPRESS_NOTICES'] = 'true'

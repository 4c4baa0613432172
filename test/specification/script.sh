# A shell script, written from the tables of the specification alone. Address and key of the service are in the environment.
set -eu
ratecard init
cat > ratecard/billing/billing.json <<'END'
{
  "version": "1.0.0",
  "webhooks": [{ "id": "main", "url": "${HOOK_URL}", "events": ["invoice.created"] }],
  "products": [{ "id": "pro", "name": "Pro", "prices": [{ "id": "pro", "amount": 900, "currency": "usd", "interval": "month" }] }]
}
END
cat > ratecard/workers/wrangler.toml <<'END'
name = "greeter"
main = "greeter.js"
compatibility_date = "2026-11-01"
[triggers]
crons = ["*/15 * * * *"]
END
echo 'export default { fetch: (request, env) => new Response(env.GREETING), scheduled() {} }' > ratecard/workers/greeter.js
ratecard billing validate
ratecard billing push
ratecard billing webhook secret
for stage in production staging dev; do
  echo "GREETING=Hello from $stage" > "ratecard/environments/.env.$stage"
  ratecard cloud workers deploy --env "$stage"
  node -e 'fetch(process.argv[1]).then((response) => response.text()).then(console.log)' "$RATECARD_API_URL/workers/greeter"
done
ratecard billing pull --output pulled.json
ratecard billing history --limit 5
ratecard billing reset

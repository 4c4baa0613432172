/** The version of the real API that this server speaks, whatever `Stripe-Version` a caller sends. */
export const apiVersion = '2026-10-28.endive'

// All rules, also those that need the compiler's types: `npm run lint:types`.
import { rules } from './eslint.config.js'

export default rules({ types: true })

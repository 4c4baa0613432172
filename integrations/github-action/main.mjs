// The action is the script that the package brings, from the same release: inputs come to it as the environment.
import '../../packages/ratecard/integrations/pull-request.mjs'

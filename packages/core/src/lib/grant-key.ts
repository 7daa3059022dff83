import type { Grant } from "../contract/grant.ts";
import { canonicalJson } from "./canonical-json.ts";

/** Equal for grants that cover the same calls, whatever words they are shown in. */
export function grantKey({ rule, tool, scope }: Grant): string {
  return canonicalJson({ rule, tool, scope });
}

import { RuntimeError } from "../../lib/errors/errors.ts";

/** @param why follows a colon; it may be the plugin's own words. */
export function fault(name: string, why: string): RuntimeError {
  return new RuntimeError("plugin.fault", `The plugin ${name} failed: ${why.replace(/[.\s]+$/, "").slice(0, 500)}.`, {
    details: { name },
  });
}

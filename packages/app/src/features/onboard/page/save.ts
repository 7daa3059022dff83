/** Writes settings of a step, on top of whatever is there. */
import { isRecord } from "@margay/core/internal/state";
import { api } from "../../../web/api.ts";

/** Only what differs is sent, so that a step repeated writes nothing. */
export async function saveSettings(wanted: Readonly<Record<string, unknown>>): Promise<void> {
  const { body, etag } = await api.get<{ readonly values: Readonly<Record<string, unknown>> }>("/settings");
  const patch = differing(wanted, body.values);
  if (Object.keys(patch).length > 0) await api.patch("/settings", patch, etag === null ? {} : { ifMatch: etag });
}

function differing(wanted: Readonly<Record<string, unknown>>, values: unknown): Readonly<Record<string, unknown>> {
  const now = isRecord(values) ? values : {};
  return Object.fromEntries(
    Object.entries(wanted).flatMap(([name, value]) => {
      if (!isRecord(value)) return (now[name] ?? null) === value ? [] : [[name, value]];
      const inner = differing(value, now[name]);
      return Object.keys(inner).length === 0 ? [] : [[name, inner]];
    }),
  );
}

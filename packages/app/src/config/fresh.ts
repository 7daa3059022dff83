/** What a home has from its first configuration on: a day in which something runs away costs no fortune. */
import type { Budget, Json } from "@margay/core";
import type { ConfigFile } from "./load.ts";

/** What nobody asked for ends at the half: a person is answered on a day on which jobs used theirs up. */
export const FRESH_BUDGETS = [
  { scope: "day", tokens: 2_000_000, action: "stop" },
  { scope: "unattended", tokens: 1_000_000, action: "stop" },
] as const satisfies readonly Budget[];

/** What `saveChanges` writes beside `changes` in a home without a file; nothing where they say it themselves. */
export function freshHome(
  file: ConfigFile,
  changes: readonly { readonly path: string }[],
): readonly { readonly path: string; readonly value: Json }[] {
  if (file.hash !== undefined || changes.some(({ path }) => path === "budgets")) return [];
  return [{ path: "budgets", value: FRESH_BUDGETS.map((budget) => ({ ...budget })) }];
}

/** The tools of a session's client, as they stand in its prefix: behind ours, by name. Pure. */
import type { ToolSpec } from "../contract/provider.ts";
import type { SessionState } from "../contract/session.ts";
import type { Tool } from "../contract/tool.ts";

/** A name that one of ours has by now is left to ours. */
export function clientSpecs(
  { clientTools = [] }: Pick<SessionState, "clientTools">,
  tools: readonly Pick<Tool, "name">[],
): readonly ToolSpec[] {
  return clientTools
    .filter(({ name }) => !tools.some((tool) => tool.name === name))
    .toSorted((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
}

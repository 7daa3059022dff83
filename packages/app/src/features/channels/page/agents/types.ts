/** Agents and bindings as the gateway tells them. */
import type { z } from "zod";
import type { AgentsSchema } from "../../../people/schema.ts";
import type { Person } from "../types.ts";

export type AgentsView = z.infer<typeof AgentsSchema>;
export type Agent = AgentsView["agents"][number];
export type Binding = AgentsView["bindings"][number];

/** What every part of the tab is made of. */
export interface Parts {
  readonly view: AgentsView;
  readonly people: readonly Person[];
  readonly reload: () => Promise<void>;
}

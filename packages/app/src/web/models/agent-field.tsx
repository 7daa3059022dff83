/** Which agent works: a choice where there are any, and nothing where there are none. */
import type { VNode } from "preact";
import type { z } from "zod";
import type { AgentsSchema } from "../../features/people/schema.ts";
import { Select } from "../ui/field.tsx";
import { useResource } from "../panel-kit/resource.ts";

interface Props {
  readonly label: string;
  readonly hint?: string;
  /** Empty: what the bindings say. */
  readonly value: string;
  readonly fault: string | undefined;
  readonly onValue: (agent: string) => void;
  /** What the bindings say, in words. */
  readonly bound: string;
  /** The home itself, in words. */
  readonly main: string;
}

export function AgentField({ bound, main, value, ...select }: Props): VNode | null {
  const agents = useResource<z.infer<typeof AgentsSchema>>("/agents", "system");
  const names = agents.data?.agents.map(({ name }) => name) ?? [];
  if (names.length === 0 && value === "") return null;
  // One that is gone is still what is said.
  const all = value === "" || value === "main" || names.includes(value) ? names : [...names, value];
  return (
    <Select
      {...select}
      value={value}
      options={[
        { value: "", label: bound },
        { value: "main", label: main },
        ...all.map((name) => ({ value: name, label: name })),
      ]}
    />
  );
}

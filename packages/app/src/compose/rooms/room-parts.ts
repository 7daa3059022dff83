/** Parts of a room: what confines it, remembers there, and what a role adds. */
import type { ToolRegistry } from "@margay/core";
import type { Audience, Skill, Skills } from "@margay/core/internal";
import type { Config } from "../../config/config.ts";
import type { Loaded } from "../../config/load.ts";
import { roleIn } from "../../host/people.ts";
import type { Engines } from "../engines.ts";
import type { Ground } from "../ground.ts";
import { openMemories } from "../memories.ts";

/** Nobody beside the owner leaves their folder, whatever holds for the owner. */
export function confined(loaded: Loaded, workspace: string): Loaded {
  const { config } = loaded;
  return { ...loaded, workspace, config: { ...config, tools: { ...config.tools, restrictToWorkspace: true } } };
}

/** What nobody beside the owner has but by their role. */
const BY_ROLE: ReadonlySet<string> = new Set(["exec"]);

/** Asked at every look: a role that was taken away has nothing in the middle of a turn either. */
export function toolsByRole(
  all: ToolRegistry,
  person: Audience,
  config: () => Pick<Config, "people" | "roles">,
): ToolRegistry {
  const has = (name: string): boolean => {
    if (!BY_ROLE.has(name)) return true;
    const { people, roles } = config();
    const role = roleIn({ people }, person);
    return role !== undefined && role !== "guest" && roles[role].tools.some((one) => one === name);
  };
  return {
    list: () => all.list().filter(({ name }) => has(name)),
    get: (name) => (has(name) ? all.get(name) : undefined),
  };
}

interface RoomMemories extends Pick<Parameters<typeof openMemories>[0], "state" | "loaded" | "beforeWrite"> {
  readonly audience: Audience;
}

/** It holds what is theirs, and nothing else. */
export function roomMemories(
  { redactor, log }: Ground,
  { sessions, journals }: Engines["conversations"],
  { audience, state, loaded, beforeWrite }: RoomMemories,
  closing: AsyncDisposableStack,
): ReturnType<typeof openMemories> {
  return openMemories(
    {
      loaded,
      state,
      ...(beforeWrite !== undefined && { beforeWrite }),
      redact: redactor.redact,
      sessions: {
        list: async () => (await sessions.list()).filter(({ persons = [] }) => persons.includes(audience)),
      },
      reads: (other) => other === audience,
      commits: journals.read,
      log,
    },
    closing,
  );
}

/** As they are called in every workspace: where the owner's lies is told to nobody else. */
export function withoutPlaces(skills: Skills): Skills {
  const placed = (skill: Skill | undefined): Skill | undefined =>
    skill && { ...skill, directory: `skills/${skill.name}`, location: `skills/${skill.name}/SKILL.md` };
  return {
    ...skills,
    list: async (signal) =>
      (await skills.list(signal)).map((skill) => ({ ...skill, location: `skills/${skill.name}/SKILL.md` })),
    find: async (name, signal) => placed(await skills.find(name, signal)),
    load: async (name, signal) => placed(await skills.load(name, signal)),
  };
}

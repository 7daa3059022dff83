// The context of the loop: frozen prefix, appended notices, projected messages.
import type { Clock } from "../contract/base.ts";
import type { Message } from "../contract/message.ts";
import type { ContextBuilder } from "../contract/services.ts";
import type { SessionState } from "../contract/session.ts";
import { zonedClock, type ZonedTime } from "../lib/zoned-time.ts";
import { collectNotices } from "./notices.ts";
import { clientSpecs, createPrefixes, promptSections, renderSections } from "./prefix.ts";
import { shownSkills } from "./sections/skills.ts";
import type { SectionOptions, SkillSource } from "./sections/section-options.ts";
import type { WaitingServer } from "./server-notices.ts";
import { MEMORY_PATH, watchedFiles } from "./sections/workspace-file.ts";
import { skillsBefore } from "./skill-notices.ts";

export interface ContextOptions extends SectionOptions {
  readonly clock: Pick<Clock, "now">;
  /** IANA name; the clock notice is written in it. */
  readonly timeZone: string;
  /** The zone of this process, when it is known: its times cost nothing to read. */
  readonly localZone?: string;
  /** SHA-256 of a text, as hex. */
  readonly hash: (text: string) => string;
  /** MCP servers that a person has to look at before their tools are offered. */
  readonly waitingServers?: () => readonly WaitingServer[];
  /** State → messages of the current epoch; pure. */
  readonly project: (state: SessionState) => readonly Message[];
  /** Applied to every text that goes into prefix and notices. */
  readonly redact?: (text: string) => string;
}

/**
 * The context builder the loop uses. `freeze` reads files and registry, never clock, channel or counter, so every
 * entry path gets the same bytes.
 */
export function createContext(options: ContextOptions): ContextBuilder {
  const redact = options.redact ?? ((text: string) => text);
  // Redacted as they are read: prefix and later comparisons see the same bytes.
  const { readFile, skills } = options;
  const clean: SectionOptions = {
    ...options,
    ...(readFile !== undefined && {
      readFile: async (path: string, signal: AbortSignal) => {
        const text = await readFile(path, signal);
        return text === undefined ? undefined : redact(text);
      },
    }),
    ...(skills !== undefined && { skills: redactedSkills(skills, redact) }),
  };
  const files = watchedFiles(clean);
  const prefixes = createPrefixes(options.hash);
  let zone: ((at: number) => ZonedTime) | undefined; // made at first use: Intl costs a few milliseconds of start-up
  return {
    freeze: async (state, signal) => {
      const seen = clean.skills === undefined ? clean : { ...clean, skills: lookedAtOnce(clean.skills) };
      const rendered = await renderSections(promptSections(seen), state, signal);
      const tools = options.tools();
      return prefixes(
        rendered.map(({ text }) => redact(text)),
        tools,
        clientSpecs(state, tools),
      );
    },
    notices: async (state, signal, frozen) => {
      zone ??= zonedClock(options.timeZone, options.localZone);
      const { hash } = options;
      // Messages that were kept may tell of a file as it was before.
      const isAsSeen = frozen !== undefined && frozen === state.prefix && state.messages.length === 0;
      const isRead = state.parent === undefined && state.prefix !== undefined && !isAsSeen;
      return collectNotices(state, {
        files: await Promise.all(
          (isRead ? files : []).map(async ({ path, notice, current }) => ({
            path,
            notice,
            now: await current(signal),
          })),
        ),
        ...(isRead && clean.skills !== undefined && { skills: await shownSkills(clean.skills, signal) }),
        ...(options.waitingServers !== undefined && { waiting: options.waitingServers() }),
        now: options.clock.now(),
        zone,
        hash,
      });
    },
    before: async (state, placed, signal) =>
      clean.skills === undefined ? [] : skillsBefore(state, placed, clean.skills, options.clock.now(), signal),
    project: options.project,
  };
}

/** Several sections are made of one look. */
function lookedAtOnce(skills: SkillSource): SkillSource {
  let listed: ReturnType<SkillSource["list"]> | undefined;
  return { ...skills, list: (signal) => (listed ??= skills.list(signal)) };
}

function redactedSkills(skills: SkillSource, redact: (text: string) => string): SkillSource {
  const { load } = skills;
  return {
    list: async (signal) =>
      (await skills.list(signal)).map(({ body, ...skill }) => ({
        ...skill,
        description: redact(skill.description),
        ...(body !== undefined && { body: redact(body) }),
      })),
    read: async (name, signal) => redact(await skills.read(name, signal)),
    ...(load !== undefined && {
      load: async (name: string, signal: AbortSignal) => {
        const skill = await load(name, signal);
        return skill === undefined ? undefined : { ...skill, body: redact(skill.body) };
      },
    }),
  };
}

/** The same for a conversation in which guests read along: no file, no skill, no word about the operator or the machine. */
export function createGuestContext(options: ContextOptions): ContextBuilder {
  return createContext(forOthers(options));
}

/** The same for a group, which has a memory. */
export function createGroupContext(options: ContextOptions): ContextBuilder {
  const { readFile } = options;
  return createContext({
    ...forOthers(options),
    ...(readFile !== undefined && {
      readFile: (path: string, signal: AbortSignal) =>
        path === MEMORY_PATH ? readFile(path, signal) : Promise.resolve(undefined),
    }),
    forGroup: true,
  });
}

function forOthers({
  readFile: _files,
  skills: _skills,
  waitingServers: _servers,
  persona,
  ...options
}: ContextOptions): ContextOptions {
  return { ...options, persona: nameAlone(persona), forGuests: true };
}

/** Read anew: settings change. */
function nameAlone(persona: ContextOptions["persona"]): ContextOptions["persona"] {
  return {
    get name() {
      return persona.name;
    },
  };
}

/** What works beside the loop: schedule, conversations, skills, memory, and the tools over them. */
import type { Agent } from "@margay/core";
import { readTextFile, sessionKeyOf } from "@margay/core/internal";
import type { Config } from "../config/config.ts";
import { agentNames, isServerFor } from "../host/agents.ts";
import { contactOf } from "../features/people/contacts.ts";
import { openSupervision, type Supervision } from "../features/people/supervision.ts";
import { translator } from "../texts/translate.ts";
import { membersOf } from "../host/members.ts";
import { OWNER } from "../host/people.ts";
import type { Part } from "../host/run-parts.ts";
import { audienceAt, usualAt } from "../host/readers.ts";
import { createSchedule } from "../features/cron/service.ts";
import { skillsOf } from "../features/skills/settings.ts";
import { commandIn } from "../texts/command.ts";
import { openConversations } from "./conversations.ts";
import type { Ground } from "./ground.ts";
import { openMemories } from "./memories.ts";
import { openShared } from "./shared.ts";
import { createToolbox } from "./toolbox.ts";

export type Engines = Awaited<ReturnType<typeof openEngines>>;

/** @param agent Asked in a turn, or when something is due: it exists by then. */
export async function openEngines(ground: Ground, agent: () => Agent, stack: AsyncDisposableStack) {
  const { options, lock, clock, ids, redactor, log, current, audit, stopFlag, hold, people, groups, notifications } =
    ground;
  const { loaded, env, language } = options;
  const readers = audienceAt({ find: (key) => agent().sessions.find(key), people, groups });
  const usual = usualAt({ people, groups });
  const contact = contactOf({ sessions: () => agent().sessions, people, config: () => current.loaded.config });
  const schedule = createSchedule({
    contact,
    notifications,
    stopFlag,
    hold,
    loaded,
    language,
    command: commandIn(env),
    practice: () => current.chosen.practice,
    agent,
    readFile: readTextFile(loaded.workspace),
    people,
    audienceAt: readers,
    usualAt: usual,
    also: [backupsOf(ground, contact, agent)],
    clock,
    ids,
    log,
  });
  const supervision = supervisionOf(ground, contact, agent);
  const observers = [audit, supervision.observer, ...schedule.observers];
  const conversations = openConversations({ loaded, observers, clock, log, traces: (id) => toolbox.forget(id) });
  const { journals, blobs, sessions } = conversations;
  const skills = skillsOf(loaded, {
    env,
    disabled: () => current.loaded.config.skills.disabled,
    tools: () => toolbox.ownTools.list(), // asked when a prompt is made: the tools below exist by then
    log,
  });
  const memories = openMemories(
    {
      loaded,
      state: loaded.places.home,
      redact: redactor.redact,
      beforeWrite: (write) => toolbox.writingItself(write), // asked when something is written: the tools below exist by then
      sessions,
      commits: journals.read,
      log,
    },
    stack,
  );
  const shared = await openShared(ground);
  const toolbox = await createToolbox(
    {
      loaded,
      env,
      blobs,
      clock,
      ids,
      ...{ log, redactor, audit, notifications, skills },
      ...memories,
      people,
      isAlone: membersOf(() => current.loaded.config).isAlone,
      shared,
      agents: () => agentNames(current.loaded.config, undefined) ?? [],
      scheduleTools: schedule.toolsOf(),
      pluginSettings: (plugin) => current.loaded.config.plugins[plugin]?.settings ?? {},
      isServerFor: (server, audience) => isServerFor(server, audience, current.loaded.config),
      serversFor: (audience) => {
        const { config } = current.loaded;
        return Object.keys(config.mcpServers).some((server) => isServerFor(server, audience, config));
      },
      readCommits: journals.read,
      sameBoot: lock.sameBoot,
      agent,
    },
    stack,
  );
  const engines = { schedule, conversations, skills, ...memories, shared, toolbox, supervision };
  return { ...engines, audienceAt: readers, usualAt: usual, contact };
}

function backupsOf(
  { options: { loaded, language, env }, current, configured, ids, clock, log }: Ground,
  contact: ReturnType<typeof contactOf>,
  agent: () => Agent,
): Part {
  const watch = (changed: () => void): (() => void) => {
    configured.add(changed);
    return () => void configured.delete(changed);
  };
  const tell = async (text: string): Promise<void> => {
    const to = await contact(OWNER);
    if (to === undefined) return; // doctor says it
    const reply = ids.next("backup");
    await agent().bus.send(sessionKeyOf(to), { reply, to, kind: "message", parts: [{ type: "text", text }] });
  };
  return {
    name: "backup",
    run: async (signal) => {
      const { runBackups } = await import("../features/backup/schedule.ts");
      const config = (): Config["backup"] => current.loaded.config.backup;
      const t = translator(language, commandIn(env));
      const { home, docs } = loaded.places;
      await runBackups({ home, docs, env, config, watch, tell, t, clock, log }, signal);
    },
  };
}

function supervisionOf(
  { options: { loaded, language, env }, current, ids, audit, log }: Ground,
  contact: ReturnType<typeof contactOf>,
  agent: () => Agent,
): Supervision {
  return openSupervision({
    docs: loaded.places.docs,
    config: () => current.loaded.config,
    contact,
    send: (session, to, text) =>
      agent().bus.send(session, {
        ...{ reply: ids.next("supervised"), to, kind: "message" },
        parts: [{ type: "text", text }],
      }),
    audit,
    t: translator(language, commandIn(env)),
    log,
  });
}

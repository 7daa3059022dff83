/**
 * Constructs all services, read top to bottom; conversations.ts, contexts.ts, toolbox.ts, people.ts and channels.ts make one group each.
 * What is acquired later is released first.
 */
import { join } from "node:path";
import { createAgent, createPolicy } from "@margay/core";
import {
  createRedactor,
  jobLine,
  jsonLog,
  lockDirectory,
  makeDirectory,
  openNotifications,
  readTextFile,
  systemClock,
  systemIds,
} from "@margay/core/internal";
import { openPairing } from "../host/pairing.ts";
import type { App, ComposeOptions } from "../app.ts";
import { auditOf } from "../host/audit-log.ts";
import { skillsOf } from "../features/skills/settings.ts";
import { commandIn } from "../texts/command.ts";
import { keysOf, knownModel, providerFor, windowOf } from "../models/choose-model.ts";
import { chooser, followConfiguration } from "./configuration.ts";
import { createContexts } from "./contexts.ts";
import { openConversations } from "./conversations.ts";
import { createEntrances } from "./channels.ts";
import { openRules } from "../features/approvals/open-rules.ts";
import { serverReviews as openServerReviews, waitingServers } from "../features/mcp/review.ts";
import { openMemories } from "./memories.ts";
import { followOtherProcesses } from "./other-processes.ts";
import { createPeople } from "./people.ts";
import { openStopFlag } from "../features/emergency-stop/service.ts";
import { takeBack } from "../features/import-home/placing.ts";
import { livePersona, openPersonas } from "../features/personas/service.ts";
import { pluginSecrets } from "../models/known-plugins.ts";
import { createSchedule } from "../features/cron/service.ts";
import { scheduleHold } from "../host/schedule-hold.ts";
import { secretsOf } from "../models/secrets.ts";
import { createToolbox } from "./toolbox.ts";
import { toolJudgement } from "./tools.ts";

/**
 * Builds the agent on the state directory of `loaded` and takes its lock. Nothing is read or sent before the first message.
 * @throws RuntimeError `state.locked`, `state.inside-workspace`, `provider.unknown`.
 */
export async function compose(options: ComposeOptions): Promise<App> {
  await using stack = new AsyncDisposableStack(); // a failure half-way releases what was acquired
  const { loaded, env, language } = options;
  const { config, places, workspace, timeZone } = loaded;
  /** What holds from the next turn on is asked of this one; see `configure` at the end. */
  let current = loaded;

  makeDirectory(places.home);
  const lock = stack.use(lockDirectory(places.home));
  takeBack(places.home);
  makeDirectory(workspace);
  const clock = options.clock ?? systemClock();
  const ids = systemIds();
  const redactor = createRedactor([
    ...secretsOf(loaded, env),
    ...pluginSecrets(env),
    env["MARGAY_VAULT_PASSPHRASE"] ?? "",
  ]);
  const log = jsonLog({ level: config.log.level, clock, write: options.writeLog, redact: redactor.redact });

  const models = chooser({ env, clock, home: places.home, language });
  let chosen = models.choose(loaded);
  for (const key of keysOf(chosen.model.provider, config, env)) redactor.register(key);

  const audit = stack.use(auditOf(places, { clock, redact: redactor.redact, log }));
  await audit.begin();
  const stopFlag = openStopFlag({
    home: places.home,
    now: clock.now,
    changed: (on, by) => audit.record(on ? "estop.on" : "estop.off", { by }),
  });
  const hold = scheduleHold({ home: places.home, unclean: lock.unclean, clock, audit, log });
  const personas = openPersonas(places.home, language);
  const pairing = openPairing(places.channels, clock);
  const notifications = openNotifications({ path: join(places.home, "notifications.jsonl"), clock, log });
  const schedule = createSchedule({
    notifications,
    stopFlag,
    hold,
    loaded,
    language,
    command: commandIn(env),
    practice: () => chosen.practice,
    agent: () => agent, // asked when something is due: the agent below exists by then
    readFile: readTextFile(workspace),
    isOwner: (channel, sender) => pairing.isOperator(channel, sender),
    clock,
    ids,
    log,
  });
  const observers = [audit, ...schedule.observers];
  const conversations = openConversations({ loaded, observers, clock, log });
  const { journals, blobs, sessions } = conversations;

  const skills = skillsOf(loaded, {
    env,
    disabled: () => current.config.skills.disabled,
    tools: () => ownTools.list(), // asked when a prompt is made: the tools below exist by then
    log,
  });
  const { memory, recall } = openMemories(
    {
      loaded,
      redact: redactor.redact,
      beforeWrite: (write) => writingItself(write), // asked when something is written: the tools below exist by then
      sessions,
      commits: journals.read,
      log,
    },
    stack,
  );
  const { tools, childTools, guestTools, ownTools, sandbox, undo, labelledFiles, quarantine, writingItself, mcp } =
    await createToolbox(
      {
        loaded,
        env,
        blobs,
        clock,
        ids,
        log,
        redactor,
        audit,
        skills,
        memory,
        recall,
        pairing,
        scheduleTools: schedule.tools,
        readCommits: journals.read,
        sameBoot: lock.sameBoot,
        agent: () => agent, // asked in a turn: the agent below exists by then
      },
      stack,
    );
  const serverReviews = openServerReviews({ loaded: () => current, mcp: () => mcp.current, audit });
  const kept = openRules({
    home: places.home,
    clock,
    log,
    tools,
    changed: (name, { id, by, shown }) => audit.record(name, { rule: id, by, shown }),
    servers: () => current.config.mcpServers,
  });
  const people = createPeople({ pairing, loaded: () => current, language });
  const policy = createPolicy({
    ...toolJudgement(loaded),
    ...kept,
    rules: () => current.config.policy.rules,
    isContact: people.isContact,
    admit: people.admit,
    approvalTimeoutMs: () => agent.settings.approvalTimeoutMs, // asked in a turn: the agent below exists by then
  });
  const contexts = createContexts({
    loaded,
    language,
    clock,
    persona: livePersona(() => current, personas, log),
    skills,
    waitingServers: () => waitingServers(mcp.current),
    redact: redactor.redact,
    tools,
    childTools,
    guestTools,
  });

  const { terminal, platforms, channels } = createEntrances({
    loaded,
    hooks: () => current.config.gateway.hooks,
    bus: () => agent.bus, // a reply is sent by the agent below
    clock,
    log,
  });
  const { cron } = schedule;
  const agent = stack.use(
    createAgent({
      directory: places.home,
      workspace,
      provider: chosen.provider,
      model: chosen.model,
      tools,
      toolsReady: mcp.ready,
      context: contexts.main,
      subagents: {
        tools: childTools,
        context: contexts.children,
        maxIterations: () => current.config.subagents.maxIterations,
        concurrency: () => current.config.subagents.concurrency,
        timeoutMs: () => current.config.subagents.timeoutSeconds * 1000,
      },
      policy,
      memory,
      channels: [...channels, ...schedule.channels],
      ...(options.otherChannels !== undefined && { otherChannels: options.otherChannels }),
      settings: models.settingsOf(loaded, chosen),
      sessions,
      blobs,
      clock,
      ids,
      log,
      redact: redactor.redact,
      secrets: redactor,
      resolveModel: (name) => knownModel(name, { config: current.config, home: places.home }),
      providerFor: (ref) => providerFor(ref, { config: current.config, env, clock, home: places.home }),
      contextWindowFor: (ref) => windowOf(`${ref.provider}/${ref.model}`, current.config),
      guests: {
        isGuest: people.isGuest,
        tools: guestTools,
        context: contexts.guests,
      },
      skillNames: skills.names,
      mayApprove: people.mayApprove,
      stopFlag,
      labelledFiles,
      serverReviews,
      savedRules: kept.saved,
      quarantine,
      ...(cron !== undefined && {
        jobLines: async () => (await cron.list()).map((job) => jobLine(job, timeZone)),
      }),
      hasPersona: personas.has,
      isContact: people.isContact,
    }),
  );
  stack.use(schedule); // before the agent it fires into
  const inside: App["inside"] = {
    loaded: () => current,
    memory,
    recall,
    skills,
    pairing,
    platforms,
    notifications,
    stopFlag,
    hold,
    personas,
    policy,
    sandbox,
    savedRules: kept.saved,
    undo,
    labelledFiles,
    quarantine,
    serverReviews,
    tools,
    get mcp() {
      return mcp.current;
    },
    watchMcp: mcp.watch,
    readCommits: journals.read,
    sessionIds: journals.list,
    journals,
    storageFault: sessions.fault,
    feed: conversations.feed,
    commitTimes: conversations.commitTimes,
    removeUnusedBlobs: conversations.removeUnusedBlobs,
    redact: redactor.redact,
    secret: redactor.register,
  };
  followOtherProcesses({ inside, schedule, audit, agent, log }, stack);
  const owned = stack.move();
  return {
    agent,
    terminal,
    schedule,
    audit,
    loaded,
    language,
    command: commandIn(env),
    get practice() {
      return chosen.practice;
    },
    clock,
    ids,
    log,
    configure: followConfiguration({
      env,
      now: () => current,
      models,
      take: (next, choice) => {
        current = next;
        chosen = choice;
      },
      platforms,
      register: redactor.register,
      audit,
      mcp,
      schedule,
      agent,
      log,
    }),
    unclean: lock.unclean,
    inside,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

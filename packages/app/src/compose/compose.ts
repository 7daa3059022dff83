/**
 * Constructs all services, read top to bottom; conversations.ts, toolbox.ts and entrances.ts make one group each.
 * What is acquired later is released first.
 */
import { join } from "node:path";
import { createAgent, createContext, createPolicy, openMemory, type AgentSettings } from "@margay/core";
import {
  createGuestContext,
  createRedactor,
  environment,
  jobLine,
  jsonLog,
  lockDirectory,
  makeDirectory,
  messageOf,
  openNotifications,
  openRecall,
  project,
  readTextFile,
  sha256,
  systemClock,
  systemIds,
  systemTimeZone,
} from "@margay/core/internal";
import { createAdmission, isOwnEntrance } from "../features/access/admission.ts";
import { openPairing } from "../features/access/pairing.ts";
import type { App, ComposeOptions } from "../app.ts";
import { auditOf } from "../features/audit/log.ts";
import { agentSettings } from "../config/agent-settings.ts";
import { skillsOf } from "../features/skills/settings.ts";
import { commandIn } from "../texts/command.ts";
import { chooseModel, keysOf, knownModel, providerFor, windowOf, type ChosenModel } from "../models/choose-model.ts";
import { openConversations } from "./conversations.ts";
import { createEntrances, refuseUnknown } from "./channels.ts";
import { keptAnswers } from "../features/approvals/kept-answers.ts";
import { serverReviews as openServerReviews, waitingServers } from "../features/mcp/review.ts";
import { obeyOtherProcesses } from "./other-processes.ts";
import { openPause } from "../features/emergency-stop/service.ts";
import { takeBack } from "../features/import-home/placing.ts";
import { livePersona, openPersonas } from "../features/personas/service.ts";
import { pluginSecrets } from "../models/known-plugins.ts";
import type { Loaded } from "../config/load.ts";
import { createSchedule } from "../features/cron/service.ts";
import { scheduleHold } from "../host/schedule-hold.ts";
import { secretsOf } from "./secrets.ts";
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

  const choose = ({ config }: Loaded): ChosenModel => chooseModel({ config, env, clock, home: places.home });
  const settingsOf = ({ config, timeZone }: Loaded, { contextWindow }: ChosenModel): AgentSettings => ({
    ...agentSettings({ config, timeZone, contextWindow }),
    language,
  });
  let chosen = choose(loaded);
  for (const key of keysOf(chosen.model.provider, config, env)) redactor.register(key);

  const audit = stack.use(auditOf(places, { clock, redact: redactor.redact, log }));
  await audit.begin();
  const pause = openPause({
    home: places.home,
    now: clock.now,
    changed: (paused, by) => audit.record(paused ? "estop.on" : "estop.off", { by }),
  });
  const hold = scheduleHold({ home: places.home, unclean: lock.unclean, clock, audit, log });
  const personas = openPersonas(places.home, language);
  const pairing = openPairing(places.channels, clock);
  const notifications = openNotifications({ path: join(places.home, "notifications.jsonl"), clock, log });
  const schedule = createSchedule({
    notifications,
    pause,
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
  const memory = openMemory({
    workspace,
    versions: join(places.home, "memory"),
    timeZone,
    redact: redactor.redact,
    beforeWrite: (write) => writingItself(write), // asked when something is written: the tools below exist by then
  });
  const recall = stack.use(
    openRecall({
      workspace,
      directory: join(places.home, "index"),
      sessions: async () => (await sessions.list()).filter(({ fault }) => fault === undefined),
      commits: journals.read,
      damaged: (message) => log.warn("recall.rebuilt", { message }),
    }),
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
  const kept = keptAnswers({
    home: places.home,
    clock,
    log,
    tools,
    changed: (name, { id, by, shown }) => audit.record(name, { rule: id, by, shown }),
    servers: () => current.config.mcpServers,
  });
  const isContact = (channel: string, chat: string): boolean => pairing.has(channel, chat);
  const policy = createPolicy({
    ...toolJudgement(loaded),
    ...kept,
    rules: () => current.config.policy.rules,
    isContact,
    admit: createAdmission({
      allowFrom: (channel) => current.config.channelsById[channel]?.allowFrom ?? [],
      pairing,
      language: () => language,
    }),
    approvalTimeoutMs: () => agent.settings.approvalTimeoutMs, // asked in a turn: the agent below exists by then
  });
  const contextOptions = {
    workspace,
    clock,
    timeZone,
    localZone: systemTimeZone(),
    language,
    persona: livePersona(() => current, personas, log),
    skills,
    memory: { inject: config.memory.inject, maxChars: config.memory.maxChars },
    environment: environment(),
    readFile: readTextFile(workspace),
    hash: sha256,
    waitingServers: () => waitingServers(mcp.current),
    project,
    redact: redactor.redact,
  };
  const context = createContext({ ...contextOptions, tools: () => tools.list() });

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
      context,
      subagents: {
        tools: childTools,
        context: createContext({ ...contextOptions, tools: () => childTools.list() }),
        maxIterations: () => current.config.subagents.maxIterations,
        concurrency: () => current.config.subagents.concurrency,
        timeoutMs: () => current.config.subagents.timeoutSeconds * 1000,
      },
      policy,
      memory,
      channels: [...channels, ...schedule.channels],
      ...(options.otherChannels !== undefined && { otherChannels: options.otherChannels }),
      settings: settingsOf(loaded, chosen),
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
        isGuest: (by, { channel }) =>
          by.kind === "person" && !isOwnEntrance(channel) && !pairing.isOperator(channel, by.id),
        tools: guestTools,
        context: createGuestContext({ ...contextOptions, tools: () => guestTools.list() }),
      },
      skillNames: skills.names,
      // A program with a token of scope `chat` speaks for itself, not for the operator.
      mayApprove: (by, { channel }) =>
        (isOwnEntrance(channel) && !by.id.startsWith("api:")) || pairing.isOperator(channel, by.id),
      pause,
      labelledFiles,
      serverReviews,
      savedRules: kept.saved,
      quarantine,
      ...(cron !== undefined && {
        jobLines: async () => (await cron.list()).map((job) => jobLine(job, timeZone)),
      }),
      hasPersona: personas.has,
      isContact,
    }),
  );
  stack.use(schedule); // before the agent it fires into
  obeyOtherProcesses(
    {
      pause,
      hold,
      schedule,
      audit,
      undo,
      labelledFiles,
      quarantine,
      rules: kept.saved,
      agent,
      log,
      control: places.control,
    },
    stack,
  );
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
    configure: (next) => {
      const choice = choose(next); // throws before anything has changed, as does the next one
      refuseUnknown(next.config.channelsById);
      const switchedOn = platforms.configure(next.config.channelsById);
      for (const secret of [...secretsOf(next, env), ...keysOf(choice.model.provider, next.config, env)])
        redactor.register(secret);
      const { sandbox } = next.config.tools.exec;
      if (sandbox !== current.config.tools.exec.sandbox)
        audit.record(sandbox === "none" ? "sandbox.off" : "sandbox.on", { by: "config" });
      current = next;
      chosen = choice;
      mcp.configure(next);
      schedule.configure(next);
      agent.configure({ settings: settingsOf(next, choice), provider: choice.provider, model: choice.model });
      if (switchedOn)
        agent.resume().catch((error: unknown) => log.error("resume.failed", { message: messageOf(error) })); // replies waited
    },
    unclean: lock.unclean,
    inside: {
      loaded: () => current,
      memory,
      recall,
      skills,
      pairing,
      platforms,
      notifications,
      pause,
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
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

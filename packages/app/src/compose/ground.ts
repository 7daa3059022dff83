/** What everything stands on: the lock of the state directory, clock, log, audit log, flags, and the small stores. */
import { join } from "node:path";
import {
  createRedactor,
  jsonLog,
  lockDirectory,
  makeDirectory,
  openNotifications,
  systemClock,
  systemIds,
} from "@margay/core/internal";
import type { ComposeOptions } from "../app.ts";
import type { Loaded } from "../config/load.ts";
import { needHere } from "../features/backup/move/fence.ts";
import { openStopFlag } from "../features/emergency-stop/service.ts";
import { takeBack } from "../features/import-home/placing.ts";
import { openPersonas } from "../features/personas/service.ts";
import { auditOf } from "../host/audit-log.ts";
import { createOpenPages } from "../host/live/pages.ts";
import { openGroups } from "../host/groups.ts";
import { openPairing } from "../host/pairing.ts";
import { peopleOf } from "../host/people.ts";
import { scheduleHold } from "../host/schedule-hold.ts";
import { type ChosenModel, keysOf } from "../models/choose-model.ts";
import { pluginSecrets } from "../models/known-plugins.ts";
import { secretsOf } from "../models/secrets.ts";
import { translator } from "../texts/translate.ts";
import { chooser } from "./configuration.ts";

/** What holds from the next turn on is asked of this one: `configure` replaces it. */
export interface Current {
  loaded: Loaded;
  chosen: ChosenModel;
}

export type Ground = Awaited<ReturnType<typeof openGround>>;

/** @throws RuntimeError `state.locked`, `state.moved`, `provider.unknown`. */
export async function openGround(options: ComposeOptions, stack: AsyncDisposableStack) {
  const { loaded, env, language, asksAtOnce = false } = options;
  const { config, places, workspace } = loaded;
  makeDirectory(places.home);
  const lock = stack.use(lockDirectory(places.home));
  needHere(places.home, translator(language));
  takeBack(places.home);
  makeDirectory(workspace);
  const clock = options.clock ?? systemClock();
  const redactor = createRedactor([
    ...secretsOf(loaded, env),
    ...pluginSecrets(env),
    env["MARGAY_VAULT_PASSPHRASE"] ?? "",
  ]);
  const log = jsonLog({ level: config.log.level, clock, write: options.writeLog, redact: redactor.redact });

  const models = chooser({ env, clock, home: places.home, language, asksAtOnce });
  const current: Current = { loaded, chosen: models.choose(loaded) };
  for (const key of keysOf(current.chosen.model.provider, config, env)) redactor.register(key);

  const pairing = openPairing(places.docs, clock);
  const audit = stack.use(auditOf(places, { clock, redact: redactor.redact, log }));
  await audit.begin();
  return {
    options,
    lock,
    clock,
    ids: systemIds(),
    redactor,
    log,
    models,
    current,
    audit,
    stopFlag: openStopFlag({
      docs: places.docs,
      now: clock.now,
      changed: (on, by) => audit.record(on ? "estop.on" : "estop.off", { by }),
    }),
    hold: await scheduleHold({ docs: places.docs, unclean: lock.unclean, clock, audit, log }),
    personas: openPersonas(places.docs, language),
    pairing,
    people: peopleOf({ config: () => current.loaded.config, pairing }),
    groups: openGroups({ config: () => current.loaded.config, places }),
    pages: createOpenPages(),
    /** Told that `current` is another one. */
    configured: new Set<() => void>(),
    notifications: openNotifications({ path: join(places.home, "notifications.jsonl"), clock, log }),
  };
}

/** The plugins of a home, with what their calls may have of it. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Clock, Json, Logger } from "@margay/core";
import { type BlobStore, createSafeFetch, type FileLabels, messageOf, type Notifications } from "@margay/core/internal";
import { type LatePlugins, latePlugins } from "../features/plugins/engine/late-plugins.ts";
import { OWNER } from "../host/people.ts";
import { APPROVED_DOC } from "../models/plugin-locate.ts";
import type { Loaded } from "../config/load.ts";
import type { AppAudit } from "../host/audit-events.ts";

interface PluginParts {
  readonly loaded: Loaded;
  /** As they are now. */
  readonly pluginSettings: (plugin: string) => Readonly<Record<string, Json>>;
  readonly blobs: BlobStore;
  readonly clock: Clock;
  readonly log: Logger;
  readonly audit: AppAudit;
  readonly labels: FileLabels;
  readonly notifications: Notifications;
}

export function openPluginTools(options: PluginParts): Promise<LatePlugins> {
  const { loaded, blobs, clock, log, audit, labels } = options;
  const { home } = loaded.places;
  const { webFetch, exec } = loaded.config.tools;
  return latePlugins(
    existsSync(join(home, APPROVED_DOC)), // what cannot be read is told by who reads it
    {
      ...{ home, clock, log },
      suspended: (plugin, { why, at, fault }) => {
        audit.record("plugin.suspended", { plugin, why, ...(fault !== undefined && { fault }) });
        const session = `plugin:${plugin}`;
        options.notifications.add({ id: `${session}:${at}`, kind: "suspended", session }).catch((error: unknown) => {
          log.error("notification.failed", { message: messageOf(error) });
        });
      },
    },
    {
      ...{ home, blobs, labels, settings: options.pluginSettings },
      isConfined: exec.sandbox !== "none",
      // The operator's exceptions to the check of addresses hold for every way out.
      safeFetch: createSafeFetch({ clock, allowHosts: webFetch.allowHosts }),
      record: (plugin, attempt) => audit.record("egress", { by: `plugin.${plugin}`, ...attempt }),
    },
    OWNER,
  );
}

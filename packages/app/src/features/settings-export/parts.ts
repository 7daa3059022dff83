/** What a backup holds of other features; compose hands it in. */
import type { Json, JsonObject } from "@margay/core";
import type { Call } from "../../host/api/route.ts";
import type { Services } from "../../host/api/services.ts";
import type { Values } from "../../texts/text.ts";
import type { TextKey } from "../../texts/translate.ts";

export type Caller = Pick<Call<unknown, unknown>, "services" | "signal" | "t" | "language">;

export interface BackupParts {
  /** Those that the owner shares with the agent, and those in the rooms of these persons. */
  sharedFiles(services: Services, persons: readonly string[]): readonly SharedFile[];
  /** What a `config.json` of nanobot sets, by our keys, and what it sets that we do not know. */
  nanobotSettings(config: JsonObject): {
    readonly settings: readonly { readonly from: string; readonly path: string; readonly value: Json }[];
    readonly skipped: readonly {
      readonly from: string;
      readonly reason: { readonly key: TextKey; readonly values?: Values };
    }[];
  };
}

export interface SharedFile {
  readonly name: string;
  /** `""` when it is not there. */
  read(signal: AbortSignal): Promise<string>;
  /** What it said before stays as a version. */
  write(text: string, before: string, caller: Caller): Promise<void>;
}

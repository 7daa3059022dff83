// One row of the catalog.
import type { Quirks, WireKind } from "@margay/core/internal";

export interface Vendor {
  readonly id: string;
  /** As people write it. */
  readonly name: string;
  readonly api: WireKind;
  readonly baseUrl: string;
  /** Environment variables with the key, the first that is set counts. None: no key is needed. */
  readonly keys: readonly string[];
  /** Sent when the configuration names the provider alone. Absent: a server has what was loaded, so it has to be named. */
  readonly defaultModel?: string;
  /** Runs on this machine. */
  readonly local?: true;
  readonly quirks?: Quirks;
}

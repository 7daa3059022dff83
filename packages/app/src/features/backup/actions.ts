/** What `margay backup` asks of the process that holds the home: the moment alone. The copying is done by the command. */
import { z } from "zod";
import { operation } from "../../host/control/operation.ts";
import { cutOf, type Cut } from "./cut.ts";

export const BACKUP_OPERATIONS = {
  "backup.cut": operation(z.strictObject({}), (_, { app }): Cut => cutOf(app.loaded.places.home, {})),
} as const;

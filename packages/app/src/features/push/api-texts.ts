/** What routes of devices say, in both languages: only a gateway loads it. */
import { paired } from "../../host/api/words.ts";
import { en } from "./api-texts.en.ts";
import { zh } from "./api-texts.zh.ts";

export const TEXT = paired(en, zh);

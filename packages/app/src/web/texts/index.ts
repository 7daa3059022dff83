/** The texts every part may use: words that many places share, and the names of the pages. Areas with texts of their own bring a catalog. */
import { en } from "./common.en.ts";
import { speak } from "./texts.ts";

export { language, languageTag, number, setLanguage } from "./texts.ts";

/** Keys of the shared texts; `nav.<panel>` are the titles of the panels. */
export type CommonKey = keyof typeof en;

export const t = speak(en);

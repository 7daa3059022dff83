/** The texts every part may use. Areas with texts of their own call `texts(…)` on their catalog. */
import { COMMON } from "./common.ts";
import { texts } from "./texts.ts";

export { language, languageTag, number, setLanguage } from "./texts.ts";

/** Keys of the shared texts; `nav.<panel>` are the titles of the panels. */
export type CommonKey = keyof typeof COMMON;

export const t = texts<CommonKey>(COMMON);

/** The first character, in the order in which browsers sort Chinese, of each letter that a syllable can begin with. */
export const FIRST = "阿八嚓哒妸发旮哈讥咔垃痳拏噢妑七呥扨它穵夕丫帀";

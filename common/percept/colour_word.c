#include "common/percept/colour_word.h"

const char *cairn_colour_word(uint8_t r, uint8_t g, uint8_t b)
{
	int high = r > g ? r : g, low = r < g ? r : g;
	high = high > b ? high : b;
	low = low < b ? low : b;
	int spread = high - low;
	if (high < 50)
		return "black";
	if (spread * 100 < high * 18)
		return high > 205 ? "white" : high > 70 ? "grey" : "black";
	double hue = high == r   ? 60.0 * (g - b) / spread
		     : high == g ? 120.0 + 60.0 * (b - r) / spread
				 : 240.0 + 60.0 * (r - g) / spread;
	hue = hue < 0.0 ? hue + 360.0 : hue;
	if (hue < 45.0 && hue >= 12.0 && (high < 200 || spread * 100 < high * 55))
		return "brown";
	if (hue < 12.0 || hue >= 340.0)
		return spread * 100 < high * 45 && high > 190 ? "pink" : "red";
	return hue < 40.0    ? "orange"
	       : hue < 70.0  ? "yellow"
	       : hue < 160.0 ? "green"
	       : hue < 198.0 ? "turquoise"
	       : hue < 262.0 ? "blue"
			     : "purple";
}

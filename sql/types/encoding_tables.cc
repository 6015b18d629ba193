/// What the upper bytes of single-byte encodings stand for, and names.
#include <algorithm>
#include <cctype>
#include <iterator>

#include "sql/types/encoding.h"

namespace gnomon::sql {
namespace {

// Characters of scripts that run from right to left, that combine, or that cannot be seen are written as numbers.
constexpr std::string_view kLatin1 =
    "\u0080\u0081\u0082\u0083\u0084\u0085\u0086\u0087\u0088\u0089\u008a\u008b\u008c\u008d\u008e\u008f"
    "\u0090\u0091\u0092\u0093\u0094\u0095\u0096\u0097\u0098\u0099\u009a\u009b\u009c\u009d\u009e\u009f"
    "\u00a0¡¢£¤¥¦§¨©ª«¬\u00ad®¯"
    "°±²³´µ¶·¸¹º»¼½¾¿"
    "ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏ"
    "ÐÑÒÓÔÕÖ×ØÙÚÛÜÝÞß"
    "àáâãäåæçèéêëìíîï"
    "ðñòóôõö÷øùúûüýþÿ";
constexpr std::string_view kLatin2 =
    "\u0080\u0081\u0082\u0083\u0084\u0085\u0086\u0087\u0088\u0089\u008a\u008b\u008c\u008d\u008e\u008f"
    "\u0090\u0091\u0092\u0093\u0094\u0095\u0096\u0097\u0098\u0099\u009a\u009b\u009c\u009d\u009e\u009f"
    "\u00a0Ą˘Ł¤ĽŚ§¨ŠŞŤŹ\u00adŽŻ"
    "°ą˛ł´ľśˇ¸šşťź˝žż"
    "ŔÁÂĂÄĹĆÇČÉĘËĚÍÎĎ"
    "ĐŃŇÓÔŐÖ×ŘŮÚŰÜÝŢß"
    "ŕáâăäĺćçčéęëěíîď"
    "đńňóôőö÷řůúűüýţ˙";
constexpr std::string_view kLatin3 =
    "\u0080\u0081\u0082\u0083\u0084\u0085\u0086\u0087\u0088\u0089\u008a\u008b\u008c\u008d\u008e\u008f"
    "\u0090\u0091\u0092\u0093\u0094\u0095\u0096\u0097\u0098\u0099\u009a\u009b\u009c\u009d\u009e\u009f"
    "\u00a0Ħ˘£¤\ufffdĤ§¨İŞĞĴ\u00ad\ufffdŻ"
    "°ħ²³´µĥ·¸ışğĵ½\ufffdż"
    "ÀÁÂ\ufffdÄĊĈÇÈÉÊËÌÍÎÏ"
    "\ufffdÑÒÓÔĠÖ×ĜÙÚÛÜŬŜß"
    "àáâ\ufffdäċĉçèéêëìíîï"
    "\ufffdñòóôġö÷ĝùúûüŭŝ˙";
constexpr std::string_view kLatin4 =
    "\u0080\u0081\u0082\u0083\u0084\u0085\u0086\u0087\u0088\u0089\u008a\u008b\u008c\u008d\u008e\u008f"
    "\u0090\u0091\u0092\u0093\u0094\u0095\u0096\u0097\u0098\u0099\u009a\u009b\u009c\u009d\u009e\u009f"
    "\u00a0ĄĸŖ¤ĨĻ§¨ŠĒĢŦ\u00adŽ¯"
    "°ą˛ŗ´ĩļˇ¸šēģŧŊžŋ"
    "ĀÁÂÃÄÅÆĮČÉĘËĖÍÎĪ"
    "ĐŅŌĶÔÕÖ×ØŲÚÛÜŨŪß"
    "āáâãäåæįčéęëėíîī"
    "đņōķôõö÷øųúûüũū˙";
constexpr std::string_view kLatin5 =
    "\u0080\u0081\u0082\u0083\u0084\u0085\u0086\u0087\u0088\u0089\u008a\u008b\u008c\u008d\u008e\u008f"
    "\u0090\u0091\u0092\u0093\u0094\u0095\u0096\u0097\u0098\u0099\u009a\u009b\u009c\u009d\u009e\u009f"
    "\u00a0¡¢£¤¥¦§¨©ª«¬\u00ad®¯"
    "°±²³´µ¶·¸¹º»¼½¾¿"
    "ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏ"
    "ĞÑÒÓÔÕÖ×ØÙÚÛÜİŞß"
    "àáâãäåæçèéêëìíîï"
    "ğñòóôõö÷øùúûüışÿ";
constexpr std::string_view kLatin6 =
    "\u0080\u0081\u0082\u0083\u0084\u0085\u0086\u0087\u0088\u0089\u008a\u008b\u008c\u008d\u008e\u008f"
    "\u0090\u0091\u0092\u0093\u0094\u0095\u0096\u0097\u0098\u0099\u009a\u009b\u009c\u009d\u009e\u009f"
    "\u00a0ĄĒĢĪĨĶ§ĻĐŠŦŽ\u00adŪŊ"
    "°ąēģīĩķ·ļđšŧž―ūŋ"
    "ĀÁÂÃÄÅÆĮČÉĘËĖÍÎÏ"
    "ÐŅŌÓÔÕÖŨØŲÚÛÜÝÞß"
    "āáâãäåæįčéęëėíîï"
    "ðņōóôõöũøųúûüýþĸ";
constexpr std::string_view kLatin7 =
    "\u0080\u0081\u0082\u0083\u0084\u0085\u0086\u0087\u0088\u0089\u008a\u008b\u008c\u008d\u008e\u008f"
    "\u0090\u0091\u0092\u0093\u0094\u0095\u0096\u0097\u0098\u0099\u009a\u009b\u009c\u009d\u009e\u009f"
    "\u00a0”¢£¤„¦§Ø©Ŗ«¬\u00ad®Æ"
    "°±²³“µ¶·ø¹ŗ»¼½¾æ"
    "ĄĮĀĆÄÅĘĒČÉŹĖĢĶĪĻ"
    "ŠŃŅÓŌÕÖ×ŲŁŚŪÜŻŽß"
    "ąįāćäåęēčéźėģķīļ"
    "šńņóōõö÷ųłśūüżž’";
constexpr std::string_view kLatin8 =
    "\u0080\u0081\u0082\u0083\u0084\u0085\u0086\u0087\u0088\u0089\u008a\u008b\u008c\u008d\u008e\u008f"
    "\u0090\u0091\u0092\u0093\u0094\u0095\u0096\u0097\u0098\u0099\u009a\u009b\u009c\u009d\u009e\u009f"
    "\u00a0Ḃḃ£ĊċḊ§Ẁ©ẂḋỲ\u00ad®Ÿ"
    "ḞḟĠġṀṁ¶ṖẁṗẃṠỳẄẅṡ"
    "ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏ"
    "ŴÑÒÓÔÕÖṪØÙÚÛÜÝŶß"
    "àáâãäåæçèéêëìíîï"
    "ŵñòóôõöṫøùúûüýŷÿ";
constexpr std::string_view kLatin9 =
    "\u0080\u0081\u0082\u0083\u0084\u0085\u0086\u0087\u0088\u0089\u008a\u008b\u008c\u008d\u008e\u008f"
    "\u0090\u0091\u0092\u0093\u0094\u0095\u0096\u0097\u0098\u0099\u009a\u009b\u009c\u009d\u009e\u009f"
    "\u00a0¡¢£€¥Š§š©ª«¬\u00ad®¯"
    "°±²³Žµ¶·ž¹º»ŒœŸ¿"
    "ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏ"
    "ÐÑÒÓÔÕÖ×ØÙÚÛÜÝÞß"
    "àáâãäåæçèéêëìíîï"
    "ðñòóôõö÷øùúûüýþÿ";
constexpr std::string_view kLatin10 =
    "\u0080\u0081\u0082\u0083\u0084\u0085\u0086\u0087\u0088\u0089\u008a\u008b\u008c\u008d\u008e\u008f"
    "\u0090\u0091\u0092\u0093\u0094\u0095\u0096\u0097\u0098\u0099\u009a\u009b\u009c\u009d\u009e\u009f"
    "\u00a0ĄąŁ€„Š§š©Ș«Ź\u00adźŻ"
    "°±ČłŽ”¶·žčș»ŒœŸż"
    "ÀÁÂĂÄĆÆÇÈÉÊËÌÍÎÏ"
    "ĐŃÒÓÔŐÖŚŰÙÚÛÜĘȚß"
    "àáâăäćæçèéêëìíîï"
    "đńòóôőöśűùúûüęțÿ";
constexpr std::string_view kWin1256 =
    "€\u067e‚ƒ„…†‡ˆ‰\u0679‹Œ\u0686\u0698\u0688"
    "\u06af‘’“”•–—\u06a9™\u0691›œ\u200c\u200d\u06ba"
    "\u00a0،¢£¤¥¦§¨©\u06be«¬\u00ad®¯"
    "°±²³´µ¶·¸¹\u061b»¼½¾\u061f"
    "\u06c1\u0621\u0622\u0623\u0624\u0625\u0626\u0627\u0628\u0629\u062a\u062b\u062c\u062d\u062e\u062f"
    "\u0630\u0631\u0632\u0633\u0634\u0635\u0636×\u0637\u0638\u0639\u063a\u0640\u0641\u0642\u0643"
    "à\u0644â\u0645\u0646\u0647\u0648çèéêë\u0649\u064aîï"
    "\u064b\u064c\u064d\u064eô\u064f\u0650÷\u0651ù\u0652ûü\u200e\u200f\u06d2";
constexpr std::string_view kWin1258 =
    "€\ufffd‚ƒ„…†‡ˆ‰\ufffd‹Œ\ufffd\ufffd\ufffd"
    "\ufffd‘’“”•–—˜™\ufffd›œ\ufffd\ufffdŸ"
    "\u00a0¡¢£¤¥¦§¨©ª«¬\u00ad®¯"
    "°±²³´µ¶·¸¹º»¼½¾¿"
    "ÀÁÂĂÄÅÆÇÈÉÊË\u0300ÍÎÏ"
    "ĐÑ\u0309ÓÔƠÖ×ØÙÚÛÜƯ\u0303ß"
    "àáâăäåæçèéêë\u0301íîï"
    "đñ\u0323óôơö÷øùúûüư₫ÿ";
constexpr std::string_view kWin866 =
    "АБВГДЕЖЗИЙКЛМНОП"
    "РСТУФХЦЧШЩЪЫЬЭЮЯ"
    "абвгдежзийклмноп"
    "░▒▓│┤╡╢╖╕╣║╗╝╜╛┐"
    "└┴┬├─┼╞╟╚╔╩╦╠═╬╧"
    "╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀"
    "рстуфхцчшщъыьэюя"
    "ЁёЄєЇїЎў°∙·√№¤■\u00a0";
constexpr std::string_view kWin874 =
    "€\ufffd\ufffd\ufffd\ufffd…\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd"
    "\ufffd‘’“”•–—\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd"
    "\u00a0\u0e01\u0e02\u0e03\u0e04\u0e05\u0e06\u0e07\u0e08\u0e09\u0e0a\u0e0b\u0e0c\u0e0d\u0e0e\u0e0f"
    "\u0e10\u0e11\u0e12\u0e13\u0e14\u0e15\u0e16\u0e17\u0e18\u0e19\u0e1a\u0e1b\u0e1c\u0e1d\u0e1e\u0e1f"
    "\u0e20\u0e21\u0e22\u0e23\u0e24\u0e25\u0e26\u0e27\u0e28\u0e29\u0e2a\u0e2b\u0e2c\u0e2d\u0e2e\u0e2f"
    "\u0e30\u0e31\u0e32\u0e33\u0e34\u0e35\u0e36\u0e37\u0e38\u0e39\u0e3a\ufffd\ufffd\ufffd\ufffd\u0e3f"
    "\u0e40\u0e41\u0e42\u0e43\u0e44\u0e45\u0e46\u0e47\u0e48\u0e49\u0e4a\u0e4b\u0e4c\u0e4d\u0e4e\u0e4f"
    "\u0e50\u0e51\u0e52\u0e53\u0e54\u0e55\u0e56\u0e57\u0e58\u0e59\u0e5a\u0e5b\ufffd\ufffd\ufffd\ufffd";
constexpr std::string_view kKoi8r =
    "─│┌┐└┘├┤┬┴┼▀▄█▌▐"
    "░▒▓⌠■∙√≈≤≥\u00a0⌡°²·÷"
    "═║╒ё╓╔╕╖╗╘╙╚╛╜╝╞"
    "╟╠╡Ё╢╣╤╥╦╧╨╩╪╫╬©"
    "юабцдефгхийклмно"
    "пярстужвьызшэщчъ"
    "ЮАБЦДЕФГХИЙКЛМНО"
    "ПЯРСТУЖВЬЫЗШЭЩЧЪ";
constexpr std::string_view kWin1251 =
    "ЂЃ‚ѓ„…†‡€‰Љ‹ЊЌЋЏ"
    "ђ‘’“”•–—\ufffd™љ›њќћџ"
    "\u00a0ЎўЈ¤Ґ¦§Ё©Є«¬\u00ad®Ї"
    "°±Ііґµ¶·ё№є»јЅѕї"
    "АБВГДЕЖЗИЙКЛМНОП"
    "РСТУФХЦЧШЩЪЫЬЭЮЯ"
    "абвгдежзийклмноп"
    "рстуфхцчшщъыьэюя";
constexpr std::string_view kWin1252 =
    "€\ufffd‚ƒ„…†‡ˆ‰Š‹Œ\ufffdŽ\ufffd"
    "\ufffd‘’“”•–—˜™š›œ\ufffdžŸ"
    "\u00a0¡¢£¤¥¦§¨©ª«¬\u00ad®¯"
    "°±²³´µ¶·¸¹º»¼½¾¿"
    "ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏ"
    "ÐÑÒÓÔÕÖ×ØÙÚÛÜÝÞß"
    "àáâãäåæçèéêëìíîï"
    "ðñòóôõö÷øùúûüýþÿ";
constexpr std::string_view kIso88595 =
    "\u0080\u0081\u0082\u0083\u0084\u0085\u0086\u0087\u0088\u0089\u008a\u008b\u008c\u008d\u008e\u008f"
    "\u0090\u0091\u0092\u0093\u0094\u0095\u0096\u0097\u0098\u0099\u009a\u009b\u009c\u009d\u009e\u009f"
    "\u00a0ЁЂЃЄЅІЇЈЉЊЋЌ\u00adЎЏ"
    "АБВГДЕЖЗИЙКЛМНОП"
    "РСТУФХЦЧШЩЪЫЬЭЮЯ"
    "абвгдежзийклмноп"
    "рстуфхцчшщъыьэюя"
    "№ёђѓєѕіїјљњћќ§ўџ";
constexpr std::string_view kIso88596 =
    "\u0080\u0081\u0082\u0083\u0084\u0085\u0086\u0087\u0088\u0089\u008a\u008b\u008c\u008d\u008e\u008f"
    "\u0090\u0091\u0092\u0093\u0094\u0095\u0096\u0097\u0098\u0099\u009a\u009b\u009c\u009d\u009e\u009f"
    "\u00a0\ufffd\ufffd\ufffd¤\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd،\u00ad\ufffd\ufffd"
    "\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\u061b\ufffd\ufffd\ufffd\u061f"
    "\ufffd\u0621\u0622\u0623\u0624\u0625\u0626\u0627\u0628\u0629\u062a\u062b\u062c\u062d\u062e\u062f"
    "\u0630\u0631\u0632\u0633\u0634\u0635\u0636\u0637\u0638\u0639\u063a\ufffd\ufffd\ufffd\ufffd\ufffd"
    "\u0640\u0641\u0642\u0643\u0644\u0645\u0646\u0647\u0648\u0649\u064a\u064b\u064c\u064d\u064e\u064f"
    "\u0650\u0651\u0652\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd";
constexpr std::string_view kIso88597 =
    "\u0080\u0081\u0082\u0083\u0084\u0085\u0086\u0087\u0088\u0089\u008a\u008b\u008c\u008d\u008e\u008f"
    "\u0090\u0091\u0092\u0093\u0094\u0095\u0096\u0097\u0098\u0099\u009a\u009b\u009c\u009d\u009e\u009f"
    "\u00a0‘’£€₯¦§¨©ͺ«¬\u00ad\ufffd―"
    "°±²³΄΅Ά·ΈΉΊ»Ό½ΎΏ"
    "ΐΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟ"
    "ΠΡ\ufffdΣΤΥΦΧΨΩΪΫάέήί"
    "ΰαβγδεζηθικλμνξο"
    "πρςστυφχψωϊϋόύώ\ufffd";
constexpr std::string_view kIso88598 =
    "\u0080\u0081\u0082\u0083\u0084\u0085\u0086\u0087\u0088\u0089\u008a\u008b\u008c\u008d\u008e\u008f"
    "\u0090\u0091\u0092\u0093\u0094\u0095\u0096\u0097\u0098\u0099\u009a\u009b\u009c\u009d\u009e\u009f"
    "\u00a0\ufffd¢£¤¥¦§¨©×«¬\u00ad®¯"
    "°±²³´µ¶·¸¹÷»¼½¾\ufffd"
    "\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd"
    "\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd‗"
    "\u05d0\u05d1\u05d2\u05d3\u05d4\u05d5\u05d6\u05d7\u05d8\u05d9\u05da\u05db\u05dc\u05dd\u05de\u05df"
    "\u05e0\u05e1\u05e2\u05e3\u05e4\u05e5\u05e6\u05e7\u05e8\u05e9\u05ea\ufffd\ufffd\u200e\u200f\ufffd";
constexpr std::string_view kWin1250 =
    "€\ufffd‚\ufffd„…†‡\ufffd‰Š‹ŚŤŽŹ"
    "\ufffd‘’“”•–—\ufffd™š›śťžź"
    "\u00a0ˇ˘Ł¤Ą¦§¨©Ş«¬\u00ad®Ż"
    "°±˛ł´µ¶·¸ąş»Ľ˝ľż"
    "ŔÁÂĂÄĹĆÇČÉĘËĚÍÎĎ"
    "ĐŃŇÓÔŐÖ×ŘŮÚŰÜÝŢß"
    "ŕáâăäĺćçčéęëěíîď"
    "đńňóôőö÷řůúűüýţ˙";
constexpr std::string_view kWin1253 =
    "€\ufffd‚ƒ„…†‡\ufffd‰\ufffd‹\ufffd\ufffd\ufffd\ufffd"
    "\ufffd‘’“”•–—\ufffd™\ufffd›\ufffd\ufffd\ufffd\ufffd"
    "\u00a0΅Ά£¤¥¦§¨©\ufffd«¬\u00ad®―"
    "°±²³΄µ¶·ΈΉΊ»Ό½ΎΏ"
    "ΐΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟ"
    "ΠΡ\ufffdΣΤΥΦΧΨΩΪΫάέήί"
    "ΰαβγδεζηθικλμνξο"
    "πρςστυφχψωϊϋόύώ\ufffd";
constexpr std::string_view kWin1254 =
    "€\ufffd‚ƒ„…†‡ˆ‰Š‹Œ\ufffd\ufffd\ufffd"
    "\ufffd‘’“”•–—˜™š›œ\ufffd\ufffdŸ"
    "\u00a0¡¢£¤¥¦§¨©ª«¬\u00ad®¯"
    "°±²³´µ¶·¸¹º»¼½¾¿"
    "ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏ"
    "ĞÑÒÓÔÕÖ×ØÙÚÛÜİŞß"
    "àáâãäåæçèéêëìíîï"
    "ğñòóôõö÷øùúûüışÿ";
constexpr std::string_view kWin1255 =
    "€\ufffd‚ƒ„…†‡ˆ‰\ufffd‹\ufffd\ufffd\ufffd\ufffd"
    "\ufffd‘’“”•–—˜™\ufffd›\ufffd\ufffd\ufffd\ufffd"
    "\u00a0¡¢£₪¥¦§¨©×«¬\u00ad®¯"
    "°±²³´µ¶·¸¹÷»¼½¾¿"
    "\u05b0\u05b1\u05b2\u05b3\u05b4\u05b5\u05b6\u05b7\u05b8\u05b9\ufffd\u05bb\u05bc\u05bd\u05be\u05bf"
    "\u05c0\u05c1\u05c2\u05c3\u05f0\u05f1\u05f2\u05f3\u05f4\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd"
    "\u05d0\u05d1\u05d2\u05d3\u05d4\u05d5\u05d6\u05d7\u05d8\u05d9\u05da\u05db\u05dc\u05dd\u05de\u05df"
    "\u05e0\u05e1\u05e2\u05e3\u05e4\u05e5\u05e6\u05e7\u05e8\u05e9\u05ea\ufffd\ufffd\u200e\u200f\ufffd";
constexpr std::string_view kWin1257 =
    "€\ufffd‚\ufffd„…†‡\ufffd‰\ufffd‹\ufffd¨ˇ¸"
    "\ufffd‘’“”•–—\ufffd™\ufffd›\ufffd¯˛\ufffd"
    "\u00a0\ufffd¢£¤\ufffd¦§Ø©Ŗ«¬\u00ad®Æ"
    "°±²³´µ¶·ø¹ŗ»¼½¾æ"
    "ĄĮĀĆÄÅĘĒČÉŹĖĢĶĪĻ"
    "ŠŃŅÓŌÕÖ×ŲŁŚŪÜŻŽß"
    "ąįāćäåęēčéźėģķīļ"
    "šńņóōõö÷ųłśūüżž˙";
constexpr std::string_view kKoi8u =
    "─│┌┐└┘├┤┬┴┼▀▄█▌▐"
    "░▒▓⌠■∙√≈≤≥\u00a0⌡°²·÷"
    "═║╒ёє╔ії╗╘╙╚╛ґ╝╞"
    "╟╠╡ЁЄ╣ІЇ╦╧╨╩╪Ґ╬©"
    "юабцдефгхийклмно"
    "пярстужвьызшэщчъ"
    "ЮАБЦДЕФГХИЙКЛМНО"
    "ПЯРСТУЖВЬЫЗШЭЩЧЪ";

constexpr Encoding kEncodings[] = {
    {0, "SQL_ASCII", 1, ""},
    {1, "EUC_JP", 3, ""},
    {2, "EUC_CN", 3, ""},
    {3, "EUC_KR", 3, ""},
    {4, "EUC_TW", 4, ""},
    {5, "EUC_JIS_2004", 3, ""},
    {6, "UTF8", 4, ""},
    {7, "MULE_INTERNAL", 4, ""},
    {8, "LATIN1", 1, kLatin1},
    {9, "LATIN2", 1, kLatin2},
    {10, "LATIN3", 1, kLatin3},
    {11, "LATIN4", 1, kLatin4},
    {12, "LATIN5", 1, kLatin5},
    {13, "LATIN6", 1, kLatin6},
    {14, "LATIN7", 1, kLatin7},
    {15, "LATIN8", 1, kLatin8},
    {16, "LATIN9", 1, kLatin9},
    {17, "LATIN10", 1, kLatin10},
    {18, "WIN1256", 1, kWin1256},
    {19, "WIN1258", 1, kWin1258},
    {20, "WIN866", 1, kWin866},
    {21, "WIN874", 1, kWin874},
    {22, "KOI8R", 1, kKoi8r},
    {23, "WIN1251", 1, kWin1251},
    {24, "WIN1252", 1, kWin1252},
    {25, "ISO_8859_5", 1, kIso88595},
    {26, "ISO_8859_6", 1, kIso88596},
    {27, "ISO_8859_7", 1, kIso88597},
    {28, "ISO_8859_8", 1, kIso88598},
    {29, "WIN1250", 1, kWin1250},
    {30, "WIN1253", 1, kWin1253},
    {31, "WIN1254", 1, kWin1254},
    {32, "WIN1255", 1, kWin1255},
    {33, "WIN1257", 1, kWin1257},
    {34, "KOI8U", 1, kKoi8u},
    {35, "SJIS", 2, ""},
    {36, "BIG5", 2, ""},
    {37, "GBK", 2, ""},
    {38, "UHC", 2, ""},
    {39, "GB18030", 4, ""},
    {40, "JOHAB", 3, ""},
    {41, "SHIFT_JIS_2004", 2, ""},
};

struct Alias {
  std::string_view name;
  int32_t number;
};
/// In lower case, without punctuation.
constexpr Alias kAliases[] = {
    {"abc", 19},         {"alt", 20},          {"big5", 36},        {"euccn", 2},        {"eucjis2004", 5},
    {"eucjp", 1},        {"euckr", 3},         {"euctw", 4},        {"gb18030", 39},     {"gbk", 37},
    {"iso88591", 8},     {"iso885910", 13},    {"iso885913", 14},   {"iso885914", 15},   {"iso885915", 16},
    {"iso885916", 17},   {"iso88592", 9},      {"iso88593", 10},    {"iso88594", 11},    {"iso88595", 25},
    {"iso88596", 26},    {"iso88597", 27},     {"iso88598", 28},    {"iso88599", 12},    {"johab", 40},
    {"koi8", 22},        {"koi8r", 22},        {"koi8u", 34},       {"latin1", 8},       {"latin10", 17},
    {"latin2", 9},       {"latin3", 10},       {"latin4", 11},      {"latin5", 12},      {"latin6", 13},
    {"latin7", 14},      {"latin8", 15},       {"latin9", 16},      {"mskanji", 35},     {"muleinternal", 7},
    {"shiftjis", 35},    {"shiftjis2004", 41}, {"sjis", 35},        {"sqlascii", 0},     {"tcvn", 19},
    {"tcvn5712", 19},    {"uhc", 38},          {"unicode", 6},      {"utf8", 6},         {"vscii", 19},
    {"win", 23},         {"win1250", 29},      {"win1251", 23},     {"win1252", 24},     {"win1253", 30},
    {"win1254", 31},     {"win1255", 32},      {"win1256", 18},     {"win1257", 33},     {"win1258", 19},
    {"win866", 20},      {"win874", 21},       {"win932", 35},      {"win936", 37},      {"win949", 38},
    {"win950", 36},      {"windows1250", 29},  {"windows1251", 23}, {"windows1252", 24}, {"windows1253", 30},
    {"windows1254", 31}, {"windows1255", 32},  {"windows1256", 18}, {"windows1257", 33}, {"windows1258", 19},
    {"windows866", 20},  {"windows874", 21},   {"windows932", 35},  {"windows936", 37},  {"windows949", 38},
    {"windows950", 36},
};

}  // namespace

std::span<const Encoding> encodings() {
  return kEncodings;
}

const Encoding* findEncoding(std::string_view name) {
  std::string plain;
  for (const char c : name)
    if (std::isalnum(static_cast<unsigned char>(c)) != 0)
      plain += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  const auto* const found = std::ranges::find(kAliases, plain, &Alias::name);
  return found == std::end(kAliases) ? nullptr : &kEncodings[found->number];
}

}  // namespace gnomon::sql

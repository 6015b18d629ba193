#include "sql/parse/keywords.h"

#include <algorithm>
#include <cctype>
#include <vector>

namespace gnomon::sql {
namespace {

/// Each with its category behind it, in lower case where it cannot be a label without AS.
constexpr std::string_view kKeywords =
    "abortU absoluteU accessU actionU addU adminU afterU aggregateU allR alsoU alterU alwaysU analyseR analyzeR andR "
    "anyR arrayr asr ascR asensitiveU assertionU assignmentU asymmetricR atU atomicU attachU attributeU "
    "authorizationT backwardU beforeU beginU betweenC bigintC binaryT bitC booleanC bothR breadthU byU cacheU callU "
    "calledU cascadeU cascadedU caseR castR catalogU chainU charc characterc characteristicsU checkR checkpointU "
    "classU closeU clusterU coalesceC collateR collationT columnR columnsU commentU commentsU commitU committedU "
    "compressionU concurrentlyT configurationU conflictU connectionU constraintR constraintsU contentU continueU "
    "conversionU copyU costU creater crossT csvU cubeU currentU current_catalogR current_dateR current_roleR "
    "current_schemaT current_timeR current_timestampR current_userR cursorU cycleU dataU databaseU dayu deallocateU "
    "decC decimalC declareU defaultR defaultsU deferrableR deferredU definerU deleteU delimiterU delimitersU "
    "dependsU depthU descR detachU dictionaryU disableU discardU distinctR doR documentU domainU doubleU dropU eachU "
    "elseR enableU encodingU encryptedU endR enumU escapeU eventU exceptr excludeU excludingU exclusiveU executeU "
    "existsC explainU expressionU extensionU externalU extractC falseR familyU fetchr filteru finalizeU firstU "
    "floatC followingU forr forceU foreignR forwardU freezeT fromr fullT functionU functionsU generatedU globalU "
    "grantr grantedU greatestC groupr groupingC groupsU handlerU havingr headerU holdU houru identityU ifU ilikeT "
    "immediateU immutableU implicitU importU inR includeU includingU incrementU indexU indexesU inheritU inheritsU "
    "initiallyR inlineU innerT inoutC inputU insensitiveU insertU insteadU intC integerC intersectr intervalC intor "
    "invokerU isT isnullt isolationU joinT keyU labelU languageU largeU lastU lateralR leadingR leakproofU leastC "
    "leftT levelU likeT limitr listenU loadU localU localtimeR localtimestampR locationU lockU lockedU loggedU "
    "mappingU matchU matchedU materializedU maxvalueU mergeU methodU minuteu minvalueU modeU monthu moveU nameU "
    "namesU nationalC naturalT ncharC newU nextU nfcU nfdU nfkcU nfkdU noU noneC normalizeC normalizedU notR "
    "nothingU notifyU notnullt nowaitU nullR nullifC nullsU numericC objectU ofU offU offsetr oidsU oldU onr onlyR "
    "operatorU optionU optionsU orR orderr ordinalityU othersU outC outerT overu overlapst overlayC overridingU "
    "ownedU ownerU parallelU parameterU parserU partialU partitionU passingU passwordU placingR plansU policyU "
    "positionC precedingU precisionc prepareU preparedU preserveU primaryR priorU privilegesU proceduralU procedureU "
    "proceduresU programU publicationU quoteU rangeU readU realC reassignU recheckU recursiveU refU referencesR "
    "referencingU refreshU reindexU relativeU releaseU renameU repeatableU replaceU replicaU resetU restartU "
    "restrictU returnU returningr returnsU revokeU rightT roleU rollbackU rollupU routineU routinesU rowC rowsU "
    "ruleU savepointU schemaU schemasU scrollU searchU secondu securityU selectR sequenceU sequencesU serializableU "
    "serverU sessionU session_userR setU setofC setsU shareU showU similarT simpleU skipU smallintC snapshotU someR "
    "sqlU stableU standaloneU startU statementU statisticsU stdinU stdoutU storageU storedU strictU stripU "
    "subscriptionU substringC supportU symmetricR sysidU systemU tableR tablesU tablesampleT tablespaceU tempU "
    "templateU temporaryU textU thenR tiesU timeC timestampC tor trailingR transactionU transformU treatC triggerU "
    "trimC trueR truncateU trustedU typeU typesU uescapeU unboundedU uncommittedU unencryptedU unionr uniqueR "
    "unknownU unlistenU unloggedU untilU updateU userR usingR vacuumU validU validateU validatorU valueU valuesC "
    "varcharC variadicR varyingu verboseT versionU viewU viewsU volatileU whenR wherer whitespaceU windowr withr "
    "withinu withoutu workU wrapperU writeU xmlU xmlattributesC xmlconcatC xmlelementC xmlexistsC xmlforestC "
    "xmlnamespacesC xmlparseC xmlpiC xmlrootC xmlserializeC xmltableC yearu yesU zoneU";

std::vector<Keyword> readKeywords() {
  std::vector<Keyword> keywords;
  for (std::string_view rest = kKeywords; !rest.empty();) {
    const size_t length = std::min(rest.find(' '), rest.size());
    const auto letter = static_cast<unsigned char>(rest[length - 1]);
    keywords.push_back(
        {rest.substr(0, length - 1), static_cast<char>(std::toupper(letter)), std::isupper(letter) != 0});
    rest.remove_prefix(std::min(length + 1, rest.size()));
  }
  return keywords;
}

}  // namespace

std::span<const Keyword> keywords() {
  static const std::vector<Keyword> kept = readKeywords();
  return kept;
}

const Keyword* findKeyword(std::string_view word) {
  const auto found = std::ranges::lower_bound(keywords(), word, {}, &Keyword::word);
  return found != keywords().end() && found->word == word ? &*found : nullptr;
}

}  // namespace gnomon::sql

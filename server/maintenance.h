#pragma once

#include "server/utility.h"

namespace gnomon::server {

/// VACUUM and ANALYZE, of one table after the other. VACUUM commits what there is of its transaction, as it is to last
/// whatever comes behind it in a pipeline. Failure: 25001, of VACUUM that is not alone; 55P03, 40P01, 57014; what was
/// done to the tables before stays.
UtilityResult vacuum(SessionContext& session, const sql::VacuumStatement& statement);

}  // namespace gnomon::server

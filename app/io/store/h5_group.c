/* h5_group.c: groups, made and replaced. */
#include "app/io/store/h5.h"

enum status h5_group(struct h5_file *file, const char *name, struct error *error)
{
    hid_t link = H5Pcreate(H5P_LINK_CREATE);
    H5Pset_create_intermediate_group(link, 1);
    hid_t group = H5Gcreate2(file->id, name, link, H5P_DEFAULT, H5P_DEFAULT);
    H5Pclose(link);
    if (group < 0 || H5Gclose(group) < 0)
        return h5_error(file, STATUS_RUN, error, "cannot create %s", name);
    return STATUS_OK;
}

/* Of the kind that keeps its links in its own header: one block of the file */
hid_t h5_new_group(const struct h5_file *file)
{
    hid_t create = H5Pcreate(H5P_GROUP_CREATE);
    H5Pset_link_creation_order(create, H5P_CRT_ORDER_TRACKED);
    H5Pset_link_phase_change(create, 64, 0);
    H5Pset_est_link_info(create, 10, 16);
    hid_t group = H5Gcreate_anon(file->id, create, H5P_DEFAULT);
    H5Pclose(create);
    return group;
}

enum status h5_replace_group(struct h5_file *file, const char *name, hid_t group, struct error *error)
{
    hid_t old = h5_exists(file, name) ? H5Oopen(file->id, name, H5P_DEFAULT) : -1;
    bool good = old < 0 || (H5Oincr_refcount(old) >= 0 && H5Ldelete(file->id, name, H5P_DEFAULT) >= 0);
    good = good && H5Olink(group, file->id, name, H5P_DEFAULT, H5P_DEFAULT) >= 0;
    if (old >= 0)
        H5Oclose(old);
    return good ? STATUS_OK : h5_error(file, STATUS_RUN, error, "cannot replace %s", name);
}

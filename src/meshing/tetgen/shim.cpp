// A C interface to TetGen's one function: a surface of triangles in, points and tets out, a number for an error.

#include <new>

#include "tetgen.h"

namespace {

void describe(tetgenio &surface, const double *points, int point_count, const int *triangles, int triangle_count) {
    surface.firstnumber = 0;
    surface.numberofpoints = point_count;
    surface.pointlist = new double[3 * static_cast<size_t>(point_count)];
    for (size_t i = 0; i < 3 * static_cast<size_t>(point_count); ++i) {
        surface.pointlist[i] = points[i];
    }
    surface.numberoffacets = triangle_count;
    surface.facetlist = new tetgenio::facet[triangle_count];
    for (int i = 0; i < triangle_count; ++i) {
        tetgenio::init(&surface.facetlist[i]);
    }
    for (int i = 0; i < triangle_count; ++i) {
        tetgenio::facet &facet = surface.facetlist[i];
        facet.polygonlist = new tetgenio::polygon[1];
        facet.numberofpolygons = 1;
        tetgenio::init(&facet.polygonlist[0]);
        facet.polygonlist[0].vertexlist = new int[3];
        facet.polygonlist[0].numberofvertices = 3;
        for (int corner = 0; corner < 3; ++corner) {
            facet.polygonlist[0].vertexlist[corner] = triangles[3 * static_cast<size_t>(i) + corner];
        }
    }
}

} // namespace

extern "C" {

// What came out; belongs to the caller until pliant_tetgen_free.
struct pliant_tetgen_result {
    tetgenio *owner;
    const double *points;
    const int *tets;
    int point_count;
    int tet_count;
};

void pliant_tetgen_free(pliant_tetgen_result *result) {
    delete result->owner;
    *result = pliant_tetgen_result();
}

// 0, or TetGen's number of an error: 1 for want of memory, 2 for whatever else it does not foresee.
int pliant_tetgen(const char *switches, const double *points, int point_count, const int *triangles, int triangle_count,
                  pliant_tetgen_result *result) {
    *result = pliant_tetgen_result();
    try {
        tetgenio surface;
        describe(surface, points, point_count, triangles, triangle_count);
        result->owner = new tetgenio;
        if (tetrahedralize(switches, &surface, result->owner, NULL, NULL) != 0) {
            return 2;
        }
        result->points = result->owner->pointlist;
        result->tets = result->owner->tetrahedronlist;
        result->point_count = result->owner->numberofpoints;
        result->tet_count = result->owner->numberoftetrahedra;
        return result->owner->numberofcorners == 4 ? 0 : 2;
    } catch (int code) {
        return code == 0 ? 2 : code;
    } catch (const std::bad_alloc &) {
        return 1;
    } catch (...) {
        return 2;
    }
}

} // extern "C"
